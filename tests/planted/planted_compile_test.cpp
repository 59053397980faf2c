// The kit without a GPU: what the compiler, its limits and the device's limits say of each kind, through worker processes and
// NVRTC, alone and in one batch.
#include <algorithm>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/base/error.hpp>
#include <warptune/runtime/kernel_builder.hpp>

#include "tests/planted/planted_kit.hpp"
#include "tests/tuner/support/mini_template.hpp"
#include "tuner/evaluate/built_kernels.hpp"
#include "tuner/worker/compiler_pool.hpp"

namespace warptune::tuner {
namespace {

using test::planted_kinds;
using test::PlantedKind;
using ::testing::HasSubstr;

class PlantedCompile : public ::testing::Test {
 protected:
  static constexpr std::int64_t most_bytes = std::int64_t{1} << 30;

  std::shared_ptr<CompilerPool> pool(int workers) const {
    return std::make_shared<CompilerPool>(
        CompilerPoolOptions{find_worker_program(), {"compile", std::to_string(most_bytes)}, workers, 40, {}});
  }
  static void expect(const PlantedKind& kind, const Outcome& outcome) {
    // What only a GPU can find out has nothing against it so far.
    const OutcomeStatus status = kind.needs_gpu ? OutcomeStatus::ok : kind.status;
    EXPECT_EQ(outcome.status, status) << kind.name << ": " << outcome.reason;
    if (!kind.needs_gpu) {
      EXPECT_THAT(outcome.reason, HasSubstr(std::string(kind.reason))) << kind.name;
    }
    EXPECT_EQ(outcome.reason.find('\n'), std::string::npos) << kind.name;
  }

  spec::Instance instance_{test::planted_kit(), test::planted_kit_problem(100'000), test::h200()};
};

TEST_F(PlantedCompile, EveryKindOfTheTemplateHasAnExpectation) {
  const auto& values = instance_.spec().tunables.at(0).values;
  EXPECT_EQ(values.size(), planted_kinds.size());
  for (const auto& value : values)
    EXPECT_TRUE(std::any_of(planted_kinds.begin(), planted_kinds.end(), [&](const PlantedKind& kind) {
      return kind.name == value.value.text();
    })) << value.value.text();
}

TEST_F(PlantedCompile, OneBatchOfAllKinds) {
  runtime::KernelBuilder builder(pool(2), {{}, 2, 24});
  BuiltKernels built(builder, instance_, "sm_90");
  std::vector<spec::Config> configs;
  for (const PlantedKind& kind : planted_kinds) configs.push_back(test::planted_kit_config(kind.name));
  built.build(configs);
  for (std::size_t i = 0; i < configs.size(); ++i) expect(planted_kinds[i], built.judge(configs[i]));
}

// The bad ones one after another, each followed by a good one in whatever process is there then.
TEST_F(PlantedCompile, EachAloneAndAGoodOneAfterIt) {
  for (const PlantedKind& kind : planted_kinds) {
    if (kind.needs_gpu) continue;
    runtime::KernelBuilder builder(pool(1), {{}, 1, 24});
    BuiltKernels built(builder, instance_, "sm_90");
    expect(kind, built.judge(test::planted_kit_config(kind.name)));
    expect(planted_kinds[0], built.judge(test::planted_kit_config("right")));
  }
}

}  // namespace
}  // namespace warptune::tuner
