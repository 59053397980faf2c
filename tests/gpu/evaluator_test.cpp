// The whole evaluator on a real GPU: right kernels pass and are timed, every planted fault is found, whatever the order.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/base/error.hpp>
#include <warptune/tuner/device_evaluator.hpp>

#include "tests/gpu/gpu_fixture.hpp"
#include "tests/tuner/support/planted_template.hpp"

namespace warptune::tuner {
namespace {

using test::planted_config;

class GpuEvaluator : public test::GpuFixture {
 protected:
  std::unique_ptr<Evaluator> evaluator(const spec::TemplatePtr& spec, std::int64_t n,
                                       const std::string& policy = "cold") {
    DeviceEvaluatorOptions options;
    options.policy = policy;
    options.ceilings = Ceilings{1, 1, 1};
    options.stream = stream_->get();
    const spec::Instance instance(spec, test::planted_problem(n), device_->info().traits);
    return make_device_evaluator(device_, builder_, instance, options);
  }
};

TEST_F(GpuEvaluator, H11FaultsAreFoundInEveryOrder) {
  const auto tuned = evaluator(test::planted_template(), 100'000);
  std::vector<std::string> kinds = {"right"};
  for (const std::string_view kind : test::wrong_kinds)
    if (kind != "crashes") kinds.emplace_back(kind);
  for (std::size_t turn = 0; turn < kinds.size(); ++turn) {
    for (const bool backwards : {false, true}) {
      std::vector<std::string> order = kinds;
      if (backwards) std::reverse(order.begin(), order.end());
      for (const std::string& kind : order) {
        const Outcome outcome = tuned->evaluate(planted_config(kind));
        const OutcomeStatus expected = kind == "right" ? OutcomeStatus::ok : OutcomeStatus::wrong_result;
        EXPECT_EQ(outcome.status, expected) << kind << ": " << outcome.reason;
      }
    }
    std::rotate(kinds.begin(), kinds.begin() + 1, kinds.end());
  }
}

TEST_F(GpuEvaluator, RightKernelAtManyLengths) {
  for (const std::int64_t n : {1, 2, 31, 257, 1'000'003}) {
    const Outcome outcome = evaluator(test::planted_template(), n)->evaluate(planted_config("right"));
    EXPECT_EQ(outcome.status, OutcomeStatus::ok) << n << ": " << outcome.reason;
    EXPECT_TRUE(outcome.verified_ragged);
    EXPECT_GE(outcome.blocks_ns.size(), 2u);
  }
}

TEST_F(GpuEvaluator, LosingElementsAtOtherLengthsCostsTheRaggedMark) {
  const Outcome outcome = evaluator(test::planted_template(), 1024)->evaluate(planted_config("multiples"));
  EXPECT_EQ(outcome.status, OutcomeStatus::ok) << outcome.reason;
  EXPECT_FALSE(outcome.verified_ragged);
}

TEST_F(GpuEvaluator, H10InPlaceKernelsAreRestored) {
  for (const char* policy : {"cold", "hot"}) {
    const auto tuned = evaluator(test::in_place_template(), 100'000, policy);
    for (int repeat = 0; repeat < 2; ++repeat) {
      EXPECT_EQ(tuned->evaluate(planted_config("right")).status, OutcomeStatus::ok);
      EXPECT_GT(tuned->time_block(planted_config("right")), 0);
      EXPECT_EQ(tuned->evaluate(planted_config("nothing")).status, OutcomeStatus::wrong_result);
      EXPECT_EQ(tuned->evaluate(planted_config("head")).status, OutcomeStatus::wrong_result);
    }
  }
}

TEST_F(GpuEvaluator, H12LostElementOfASum) {
  const auto tuned = evaluator(test::sum_template(), 1'000'000);
  EXPECT_EQ(tuned->evaluate(planted_config("right")).status, OutcomeStatus::ok);
  EXPECT_EQ(tuned->evaluate(planted_config("drops_one")).status, OutcomeStatus::wrong_result);
  EXPECT_EQ(tuned->evaluate(planted_config("drops_block")).status, OutcomeStatus::wrong_result);
}

// Defined last: a lost context cannot be had back within this process.
TEST_F(GpuEvaluator, CrashIsAnOutcomeAndTheNextUseSaysSo) {
  const auto tuned = evaluator(test::planted_template(), 1000);
  const Outcome outcome = tuned->evaluate(planted_config("crashes"));
  EXPECT_EQ(outcome.status, OutcomeStatus::crashed);
  EXPECT_THAT(outcome.reason, ::testing::Not(::testing::IsEmpty()));
  EXPECT_THROW(tuned->evaluate(planted_config("right")), Error);
}

}  // namespace
}  // namespace warptune::tuner
