// Tuned by the program, run by the API in another process, inspected by the program again: one key throughout.
#include <gtest/gtest.h>

#include <sstream>

#include <warptune/runtime/runtime.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/spec/element_type.hpp>

#include "tests/tuner/cli/program.hpp"

namespace warptune::test {
namespace {

using runtime::Device;
using runtime::DeviceBuffer;
using runtime::Match;

struct Operands {
  std::vector<DeviceBuffer> buffers;
  std::vector<void*> pointers;
};

// Zeroed memory for the caller's buffers; id 0 is a row of every table.
Operands operands_of(Device& device, const spec::Instance& instance) {
  Operands operands;
  const auto layouts = instance.buffers(instance.spec().default_config);
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const spec::BufferRole role = instance.spec().buffers[i].role;
    if (role == spec::BufferRole::workspace || role == spec::BufferRole::counter) continue;
    const auto bytes = static_cast<std::size_t>(layouts[i].bytes());
    operands.buffers.emplace_back(device, bytes);
    device.fill(operands.buffers.back().get(), 0, bytes, runtime::legacy_stream);
    operands.pointers.push_back(reinterpret_cast<void*>(operands.buffers.back().get()));
  }
  return operands;
}

std::string joined(const std::map<std::string, std::string>& types) {
  std::string text;
  for (const auto& [name, type] : types) text += (text.empty() ? "" : " ") + name + "=" + type;
  return text;
}

// As people write it: "long long" would be two words.
std::string short_name(const std::string& type) { return std::string(spec::find_element_type(type)->alias); }

class GpuRoundTrip : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (runtime::cuda_device_count(&why) == 0) GTEST_SKIP() << "no GPU: " << why;
    device_ = runtime::open_cuda_device(0);
    device_->make_current();
  }

  Match run(const std::string& kernel, const std::map<std::string, std::string>& types,
            const spec::Instance& instance) {
    runtime::RuntimeOptions options;
    options.cache_folder = folder_ / "cache";
    auto opened = runtime::Runtime::open(database(), options);
    const auto handle = opened.kernel(kernel, types);
    std::vector<std::int64_t> dims;
    for (const spec::DimSpec& dim : instance.spec().dims)
      dims.push_back(instance.problem().dims.at(dim.name));
    selected_ = handle.select(dims).config;
    const Operands operands = operands_of(*device_, instance);
    const Match match = handle.launch(runtime::legacy_stream, dims, operands.pointers);
    device_->synchronize(runtime::legacy_stream);
    return match;
  }

  // Default before, tuned after; and `show` names the config that the API picks, under the same problem.
  void expect_round_trip(const std::string& kernel, const std::map<std::string, std::string>& types,
                         const std::map<std::string, std::int64_t>& dims) {
    SCOPED_TRACE(kernel + " " + joined(types));
    spec::Problem problem;
    problem.types.insert(types.begin(), types.end());
    problem.dims.insert(dims.begin(), dims.end());
    const spec::Instance instance(spec::find_template(kernel), problem, device_->info().traits);
    EXPECT_EQ(run(kernel, types, instance), Match::default_config);

    std::vector<std::string> question{kernel, "--dims"};
    for (const auto& [name, value] : dims) question.push_back(name + "=" + std::to_string(value));
    question.emplace_back("--types");
    for (const auto& [name, type] : types) question.push_back(name + "=" + short_name(type));
    for (const char* word : {"--db", "t.db"}) question.emplace_back(word);
    std::vector<std::string> tune{"tune"}, show{"show"};
    tune.insert(tune.end(), question.begin(), question.end());
    show.insert(show.end(), question.begin(), question.end());
    for (const char* word : {"--strategy", "random", "--trials", "2"}) tune.emplace_back(word);
    const ProgramResult tuned = run_program(tune, folder_ / "");
    ASSERT_EQ(tuned.code, 0) << tuned.err;

    EXPECT_EQ(run(kernel, types, instance), Match::tuned);
    const ProgramResult shown = run_program(show, folder_ / "");
    EXPECT_EQ(shown.code, 0) << shown.err;
    std::istringstream values(selected_);  // the table has them in another order, over several lines
    for (std::string value; values >> value;)
      EXPECT_NE(shown.out.find(value), std::string::npos) << selected_ << " is not in\n" << shown.out;
    ++trips_;
  }

  std::filesystem::path database() const { return folder_ / "t.db"; }

  TemporaryFolder folder_;
  std::shared_ptr<Device> device_;
  std::string selected_;
  int trips_ = 0;
};

TEST_F(GpuRoundTrip, H07_EveryShippedKernelAndElementType) {
  const std::map<std::string, std::map<std::string, std::int64_t>> dims{
      {"dot", {{"n", 100'003}}}, {"embedding", {{"v", 100}, {"n", 300}, {"h", 64}}}};
  for (const std::string& kernel : spec::template_names()) {
    ASSERT_TRUE(dims.contains(kernel)) << "a new kernel needs its dims here: " << kernel;
    const spec::TemplatePtr spec = spec::find_template(kernel);
    for (const std::string& type : spec->type_parameters.front().allowed) {
      std::map<std::string, std::string> types{{spec->type_parameters.front().name, type}};
      for (std::size_t i = 1; i < spec->type_parameters.size(); ++i)
        types[spec->type_parameters[i].name] = spec->type_parameters[i].allowed.back();
      expect_round_trip(kernel, types, dims.at(kernel));
    }
  }
  EXPECT_EQ(trips_, 3 + 14);
}

}  // namespace
}  // namespace warptune::test
