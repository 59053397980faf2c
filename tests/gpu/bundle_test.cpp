// Tuned and bundled by the program, run from the bundle by a process in which NVRTC is hidden.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <warptune/db/bundle.hpp>
#include <warptune/runtime/runtime.hpp>

#include "tests/tuner/cli/program.hpp"

namespace warptune::test {
namespace {

using runtime::DeviceBuffer;
using runtime::Match;
using runtime::Runtime;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t tuned_n = 1 << 20;

bool has_loaded(const std::string& library) {
  std::ostringstream maps;
  maps << std::ifstream("/proc/self/maps").rdbuf();
  return maps.str().find(library) != std::string::npos;
}

class GpuBundle : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (runtime::cuda_device_count(&why) == 0) GTEST_SKIP() << "no GPU: " << why;
    device_ = runtime::open_cuda_device(0);
    const ProgramResult tuned =
        run_program({"tune", "dot", "--types", "T=float", "--dims", "n=" + std::to_string(tuned_n),
                     "--strategy", "random", "--trials", "8", "--db", "t.db"},
                    folder_ / ".");
    ASSERT_EQ(tuned.code, 0) << tuned.err;
    const ProgramResult made = run_program({"bundle", "-o", "app.wtb", "t.db"}, folder_ / ".");
    ASSERT_EQ(made.code, 0) << made.err;
    bytes_ = content(folder_ / "app.wtb");
    ::setenv("WARPTUNE_CUDA_HOME", (folder_ / "no_toolkit").c_str(), 1);
  }
  void TearDown() override { ::unsetenv("WARPTUNE_CUDA_HOME"); }

  runtime::RuntimeOptions options() {
    runtime::RuntimeOptions options;
    options.cache_folder = folder_ / "cache";  // empty
    options.warn = [this](const std::string& line) { lines_.push_back(line); };
    return options;
  }
  Runtime from_memory() { return Runtime::open_bundle(std::as_bytes(std::span(bytes_)), options(), device_); }
  // a = 0, 1, 2, 0, ...; b = 0, 1, 0, ...: whole numbers whose sum float holds exactly.
  Match run(Runtime& runtime, std::int64_t n) {
    std::vector<float> a(static_cast<std::size_t>(n)), b(a.size());
    double expected = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<float>(i % 3);
      b[i] = static_cast<float>(i % 2);
      expected += static_cast<double>((i % 3) * (i % 2));
    }
    const DeviceBuffer device_a(*device_, a.size() * sizeof(float)),
        device_b(*device_, a.size() * sizeof(float));
    const DeviceBuffer device_y(*device_, sizeof(float));
    device_->copy_to_device(device_a.get(), a.data(), a.size() * sizeof(float));
    device_->copy_to_device(device_b.get(), b.data(), b.size() * sizeof(float));
    const auto as = [](const DeviceBuffer& buffer) { return reinterpret_cast<float*>(buffer.get()); };
    const Match match = runtime::dot(runtime, as(device_a), as(device_b), as(device_y), n);
    device_->synchronize(runtime::legacy_stream);
    float result = -1;
    device_->copy_to_host(&result, device_y.get(), sizeof(result));
    EXPECT_EQ(result, expected) << n;
    return match;
  }
  static std::string reason(Runtime& runtime, std::int64_t n) {
    const std::int64_t dims[] = {n};
    return runtime.kernel("dot", {{"T", "float"}}).select(dims).reason;
  }

  TemporaryFolder folder_;
  std::string bytes_;
  std::shared_ptr<runtime::Device> device_;
  std::vector<std::string> lines_;
};

TEST_F(GpuBundle, RunsTheWinnerAndTheDefaultWithoutNvrtc) {
  Runtime runtime = Runtime::open(folder_ / "app.wtb", options(), device_);
  EXPECT_EQ(run(runtime, tuned_n), Match::tuned);
  EXPECT_EQ(run(runtime, 1003), Match::default_config);
  EXPECT_THAT(reason(runtime, 1003), Not(HasSubstr("PTX")));
  Runtime embedded = from_memory();
  EXPECT_EQ(run(embedded, tuned_n), Match::tuned);
  EXPECT_FALSE(has_loaded("libnvrtc"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache"));
}

TEST_F(GpuBundle, TheDriverCompilesThePtxWhereTheMachineCodeIsDamaged) {
  // The hashes of all machine code are replaced by another one, in its row and in the index.
  const db::BundleReader reader(db::Store::open(folder_ / "app.wtb", db::OpenMode::read_only));
  const std::string hash = reader.find_template("dot")->template_hash;
  const std::string architecture = device_->info().architecture();
  int damaged = 0;
  const spec::TemplatePtr spec = spec::find_template("dot");
  spec::Problem problem;
  problem.types = {{"T", "float"}};
  problem.dims = {{"n", 1}};
  const spec::Instance instance(spec, problem, device_->info().traits);
  for (const std::string& entry : instance.entries(spec->default_config)) {
    const auto found = reader.find_kernel({hash, entry, architecture, ""});
    ASSERT_TRUE(found) << entry;
    for (std::size_t at = bytes_.find(found->image_hash); at != std::string::npos;
         at = bytes_.find(found->image_hash, at)) {
      bytes_[at] = bytes_[at] == '0' ? '1' : '0';
      ++damaged;
    }
  }
  ASSERT_GE(damaged, 1);
  Runtime runtime = from_memory();
  EXPECT_EQ(run(runtime, 1003), Match::default_config);
  EXPECT_THAT(reason(runtime, 1003), HasSubstr("PTX"));
  EXPECT_THAT(lines_, testing::Contains(HasSubstr("hash")));
  EXPECT_FALSE(has_loaded("libnvrtc"));
}

}  // namespace
}  // namespace warptune::test
