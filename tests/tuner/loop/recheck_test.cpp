// A winner timed again beside its rivals, on a scripted evaluator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/runtime/problem_key.hpp>

#include "tests/tuner/support/fake_evaluator.hpp"
#include "tests/tuner/support/mini_template.hpp"
#include "tuner/loop/outcome_record.hpp"
#include "tuner/loop/recheck.hpp"

namespace warptune::tuner {
namespace {

using test::FakeEvaluator;
using test::mini_config;
using testing::ElementsAre;
using testing::HasSubstr;

spec::Instance mini_instance() { return {test::mini_template(), test::mini_problem("__half"), test::h200()}; }

db::WinnerRecord winner_of(const spec::Config& config, int alignment_bytes = 8) {
  db::WinnerRecord winner;
  winner.config = runtime::stored_config(*test::mini_template(), config);
  winner.alignment_bytes = alignment_bytes;
  winner.time_ns = 1000;
  return winner;
}

// THREADS in units of 32 say how long a config takes, in us.
FakeEvaluator::Script by_threads(const spec::Config& config) {
  FakeEvaluator::Script script;
  script.time_ns = 1000.0 * static_cast<double>(config.values[0].as_integer()) / 32;
  return script;
}

TEST(Recheck, TheBestHolds) {
  FakeEvaluator evaluator(mini_instance(), by_threads);
  const Recheck result =
      recheck(evaluator, winner_of(mini_config(32, 1)), {mini_config(64, 1), mini_config(128, 1)});
  EXPECT_EQ(result.standing, Standing::holds) << result.reason;
  EXPECT_EQ(result.raced, 3);
  EXPECT_NEAR(result.winner_ns.value(), 1000, 5);
  EXPECT_EQ(result.best, winner_of(mini_config(32, 1)).config);
  EXPECT_EQ(result.slower, 1);
}

TEST(Recheck, AWinnerWithinThePercentHolds) {
  FakeEvaluator evaluator(mini_instance(), [](const spec::Config& config) {
    FakeEvaluator::Script script;
    script.time_ns = config == mini_config(64, 1) ? 1000 : 1005;
    return script;
  });
  EXPECT_EQ(recheck(evaluator, winner_of(mini_config(32, 1)), {mini_config(64, 1)}).standing,
            Standing::holds);
}

TEST(Recheck, AFasterRivalIsNamedWithItsLead) {
  FakeEvaluator evaluator(mini_instance(), by_threads);
  const Recheck result =
      recheck(evaluator, winner_of(mini_config(64, 1)), {mini_config(32, 1), mini_config(128, 1)});
  EXPECT_EQ(result.standing, Standing::beaten);
  EXPECT_EQ(result.best, winner_of(mini_config(32, 1)).config);
  EXPECT_NEAR(result.slower, 2, 0.01);
  EXPECT_LT(result.slower_95.low, 2.01);
  EXPECT_GT(result.slower_95.low, 1.9);
  EXPECT_THAT(result.reason, HasSubstr("100."));
  EXPECT_GE(evaluator.renewals, 1) << "compared in fresh memory";
}

TEST(Recheck, AWinnerThatFailsSaysWhy) {
  FakeEvaluator evaluator(mini_instance(), [](const spec::Config& config) {
    FakeEvaluator::Script script = by_threads(config);
    if (config == mini_config(32, 1)) {
      script.status = OutcomeStatus::wrong_result;
      script.reason = "[7] is 1 instead of 2";
    }
    return script;
  });
  const Recheck result = recheck(evaluator, winner_of(mini_config(32, 1)), {mini_config(64, 1)});
  EXPECT_EQ(result.standing, Standing::fails);
  EXPECT_EQ(result.reason, "wrong_result: [7] is 1 instead of 2");
}

TEST(Recheck, ARivalThatFailsIsLeftOut) {
  FakeEvaluator evaluator(mini_instance(), [](const spec::Config& config) {
    FakeEvaluator::Script script = by_threads(config);
    if (config == mini_config(32, 1)) script.status = OutcomeStatus::crashed;
    return script;
  });
  const Recheck result =
      recheck(evaluator, winner_of(mini_config(64, 1)), {mini_config(32, 1), mini_config(128, 1)});
  EXPECT_EQ(result.standing, Standing::holds);
  EXPECT_EQ(result.raced, 2);
}

TEST(Recheck, ADisturbedCardGivesNoAnswer) {
  FakeEvaluator evaluator(mini_instance(), by_threads);
  evaluator.conditions_of_round = [] {
    Conditions seen;
    seen.longest_stall_ns = 2e6;
    return seen;
  };
  const Recheck result = recheck(evaluator, winner_of(mini_config(32, 1)), {mini_config(64, 1)});
  EXPECT_EQ(result.standing, Standing::disturbed);
  EXPECT_THAT(result.reason, HasSubstr("another process"));
}

TEST(Recheck, StopEndsIt) {
  FakeEvaluator evaluator(mini_instance(), by_threads);
  RecheckOptions options;
  options.stop = [&] { return evaluator.blocks_timed >= 5; };
  EXPECT_EQ(recheck(evaluator, winner_of(mini_config(32, 1)), {mini_config(64, 1)}, options).standing,
            Standing::stopped);
}

// The fastest others that serve the winner's alignment, and the default (THREADS=64 PACK=1).
TEST(Recheck, RivalsAreTheFastestThatServeTheClassAndTheDefault) {
  const spec::Instance instance = mini_instance();
  std::vector<db::StoredOutcome> outcomes;
  const auto add = [&](const spec::Config& config, double time_ns, OutcomeStatus status = OutcomeStatus::ok) {
    Outcome outcome;
    outcome.config = config;
    outcome.status = status;
    if (status == OutcomeStatus::ok) outcome.blocks_ns = {time_ns};
    db::StoredOutcome stored;
    stored.outcome = to_record(instance.spec(), outcome);
    outcomes.push_back(stored);
  };
  add(mini_config(32, 1), 1000);
  add(mini_config(128, 1), 1300);
  add(mini_config(128, 2), 1200);
  add(mini_config(32, 4), 900);  // needs more alignment than the class has
  add(mini_config(32, 2), 1100);
  add(mini_config(64, 2), 10, OutcomeStatus::wrong_result);
  const int class_bytes = 4;  // two halves
  EXPECT_THAT(rivals_of(instance, winner_of(mini_config(32, 1), class_bytes), outcomes, 2),
              ElementsAre(mini_config(32, 2), mini_config(128, 2), mini_config(64, 1)));
  EXPECT_THAT(rivals_of(instance, winner_of(mini_config(64, 1), class_bytes), outcomes, 1),
              ElementsAre(mini_config(32, 1)));
}

}  // namespace
}  // namespace warptune::tuner
