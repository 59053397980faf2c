// The dot space as the manifest spans it, run on the CPU through the manifest's own launch plans.
#include <array>
#include <cstring>
#include <iostream>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <warptune/spec/catalog.hpp>
#include <warptune/spec/instance.hpp>
#include <warptune/spec/space.hpp>

#include "tests/simt/dot_case.hpp"

namespace warptune::simt {
namespace {

// One multiprocessor: grids of a few blocks already loop over several tiles.
spec::Instance instance_of(const std::string& type, std::int64_t n) {
  spec::DeviceTraits device;
  device.model = "CPU";
  device.compute_capability = 90;
  device.sm_count = 1;
  spec::Problem problem;
  problem.types["T"] = type;
  problem.dims["n"] = n;
  problem.allowed = {.approx = true, .nondeterministic = true};
  return spec::Instance(spec::find_template("dot"), problem, device);
}

std::int64_t tunable(const spec::Instance& instance, const spec::Config& config, const char* name) {
  return config.values[instance.spec().tunable_index(name)].as_integer();
}

// Nothing, one element, and around the pack, a warp's load, a block's load and the tile.
std::array<std::int64_t, 8> edge_lengths(const spec::Instance& instance, const spec::Config& config) {
  const std::int64_t pack = tunable(instance, config, "PACK");
  const std::int64_t block = tunable(instance, config, "NUM_THREADS") * pack;
  const std::int64_t tile = block * tunable(instance, config, "UNROLL");
  return {0, 1, pack + 1, 32 * pack - 1, block, tile - 1, tile + 1, 3 * tile + pack - 1};
}

std::int64_t scalar(const spec::PlanArgument& argument) {
  EXPECT_EQ(argument.buffer, spec::PlanArgument::scalar);
  std::int64_t value = 0;
  std::memcpy(&value, argument.bytes.data(), argument.size_bytes);
  return value;
}

// What tells one run from another: with one block, how to finish makes no difference.
using Launch = std::tuple<std::string, unsigned, std::int64_t, std::int64_t>;

Launch launch_of(const spec::LaunchPlan& plan) {
  for (const spec::PlanStep& step : plan.steps)
    if (const auto* kernel = std::get_if<spec::KernelStep>(&step);
        kernel && kernel->entry.rfind("dot<", 0) == 0)
      return {kernel->entry, kernel->grid.x, kernel->grid.x == 1 ? -1 : scalar(kernel->arguments.at(6)),
              scalar(kernel->arguments.at(5))};
  ADD_FAILURE() << "the plan does not run dot";
  return {};
}

class PlanRun {
 public:
  PlanRun(const spec::Instance& instance, const spec::Config& config, const DotData& data)
      : spec_(instance.spec()),
        layouts_(instance.buffers(config)),
        buffers_(data, elements("a"), 0, 0, elements("partials"), elements("ticket")) {}

  // The result of all steps. Argument kinds and geometry are checked on the way.
  float run(const spec::LaunchPlan& plan, Order order) {
    for (const spec::PlanStep& step : plan.steps) {
      if (const auto* memset_step = std::get_if<spec::MemsetStep>(&step)) {
        EXPECT_EQ(spec_.buffers[memset_step->buffer].name, "y");
        std::memset(buffers_.y(), memset_step->byte, sizeof(float));
      } else {
        run_kernel(std::get<spec::KernelStep>(step), order);
      }
    }
    EXPECT_TRUE(buffers_.tickets_are_zero());
    return *buffers_.y();
  }

 private:
  std::int64_t elements(const char* buffer) const { return layouts_[spec_.buffer_index(buffer)].elements; }

  void expect_buffers(const spec::KernelStep& step, const std::vector<std::string>& names) const {
    for (std::size_t i = 0; i < names.size(); ++i)
      EXPECT_EQ(spec_.buffers.at(step.arguments.at(i).buffer).name, names[i]) << step.entry;
  }

  void run_kernel(const spec::KernelStep& step, Order order) {
    EXPECT_EQ(step.block, (spec::Dim3{step.block.x, 1, 1}));
    EXPECT_EQ(step.grid, (spec::Dim3{step.grid.x, 1, 1}));
    const bool finish = step.entry.rfind("dot_finish<", 0) == 0;
    std::function<void()> body;
    if (finish) {
      const DotFinishEntry& entry = dot_finish_entry(step.entry);
      EXPECT_EQ(step.block.x, entry.threads);
      EXPECT_EQ(step.grid.x, 1u);
      expect_buffers(step, {"partials", "y"});
      body = [&, count = scalar(step.arguments.at(2))] {
        entry.kernel(buffers_.partials(), buffers_.y(), count);
      };
    } else {
      const DotEntry& entry = dot_entry(step.entry);
      EXPECT_EQ(step.block.x, entry.threads);
      expect_buffers(step, {"a", "b", "y", "partials", "ticket"});
      EXPECT_EQ(step.arguments.at(5).size_bytes, 8u);
      EXPECT_EQ(step.arguments.at(6).size_bytes, 4u);
      body = [&, n = scalar(step.arguments[5]), how = static_cast<int>(scalar(step.arguments[6]))] {
        entry.kernel(buffers_.a(), buffers_.b(), buffers_.y(), buffers_.partials(), buffers_.ticket(), n,
                     how);
      };
    }
    Machine::instance().launch({step.grid.x}, {step.block.x}, order, body);
  }

  const spec::TemplateSpec& spec_;
  std::vector<spec::BufferLayout> layouts_;
  DotBuffers buffers_;
};

TEST(DotSpace, NamesExactlyWhatIsInstantiatedForTheCpu) {
  std::set<std::string> wanted, built;
  for (const char* type : {"float", "__half", "__nv_bfloat16"}) {
    const spec::Instance instance = instance_of(type, 1000);
    spec::Space(instance).for_each([&](const spec::Config& config) {
      for (const std::string& entry : instance.entries(config)) wanted.insert(entry);
      return true;
    });
    wanted.insert(instance.check_plan().entry);
  }
  for (const DotEntry& entry : dot_entries()) built.insert(entry.name);
  for (const DotFinishEntry& entry : dot_finish_entries()) built.insert(entry.name);
  for (const DotReferenceEntry& entry : dot_reference_entries()) built.insert(entry.name);
  EXPECT_EQ(wanted, built);
  EXPECT_EQ(built.size(), 336u + 2u + 3u);
}

struct Counts {
  std::string type;
  std::int64_t configs;
  std::int64_t launches;
};

void PrintTo(const Counts& counts, std::ostream* out) { *out << counts.type; }

class DotSpaceOf : public testing::TestWithParam<Counts> {};

TEST_P(DotSpaceOf, EveryConfigAtItsEightEdgeLengths) {
  const std::string& type = GetParam().type;
  constexpr std::int64_t longest = 3 * 65536 + 8;
  const DotData whole(type, Fill::whole, longest);
  const DotData uniform(type, Fill::uniform, longest);
  const spec::Instance any = instance_of(type, 1);
  std::map<std::int64_t, spec::Instance> by_length;
  std::set<Launch> launched;
  std::int64_t configs = 0;
  std::int64_t launches = 0;
  spec::Space(any).for_each([&](const spec::Config& config) {
    ++configs;
    for (const std::int64_t n : edge_lengths(any, config)) {
      auto found = by_length.find(n);
      if (found == by_length.end()) found = by_length.emplace(n, any.with_dims({{"n", n}})).first;
      const spec::Instance& instance = found->second;
      const spec::LaunchPlan plan = instance.plan(config);
      const Launch launch = launch_of(plan);
      EXPECT_EQ(std::get<3>(launch), n);
      if (!launched.insert(launch).second) continue;
      const bool half2 = dot_entry(std::get<0>(launch)).half2;
      for (const Order order : {Order::forward, Order::reverse}) {
        const DotData& data = order == Order::forward ? whole : uniform;
        PlanRun run(instance, config, data);
        EXPECT_EQ(judge(run.run(plan, order), half2, data, n), "")
            << to_text(any.spec(), config) << " n=" << n;
        ++launches;
      }
    }
    return !testing::Test::HasFailure();
  });
  std::cout << "dot at edge lengths, " << type << ": " << configs << " configs, " << launches
            << " distinct runs\n";
  EXPECT_EQ(configs, GetParam().configs);
  EXPECT_EQ(launches, GetParam().launches);
}

INSTANTIATE_TEST_SUITE_P(Types, DotSpaceOf,
                         testing::Values(Counts{"float", 1296, 2442}, Counts{"__half", 3024, 5698},
                                         Counts{"__nv_bfloat16", 1728, 3256}),
                         [](const auto& test) { return test.param.type; });

}  // namespace
}  // namespace warptune::simt
