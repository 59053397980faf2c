// What the loop does with candidates that fail late, and with an evaluator that gives up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include <warptune/runtime/problem_key.hpp>
#include <warptune/tuner/tune.hpp>

#include "tests/tuner/support/fake_evaluator.hpp"
#include "tests/tuner/support/mini_template.hpp"
#include "tests/tuner/support/temporary_folder.hpp"

namespace warptune::tuner {
namespace {

using test::FakeEvaluator;

// 12 configs of half; fastest: 128 threads, then 64 and 256.
FakeEvaluator::Script by_threads(const spec::Config& config) {
  return {
      1000 + std::abs(static_cast<double>(config.values[0].as_integer()) - 120), OutcomeStatus::ok, "", {}};
}

class LateFailure : public testing::Test {
 protected:
  FakeEvaluator evaluator(FakeEvaluator::ScriptOf script = by_threads) const {
    return FakeEvaluator(spec::Instance(test::mini_template(), test::mini_problem("__half"), test::h200()),
                         std::move(script));
  }
  static Outcome crashed(const spec::Config& config) {
    Outcome outcome;
    outcome.config = config;
    outcome.status = OutcomeStatus::crashed;
    outcome.reason = "in the race";
    return outcome;
  }
  std::map<std::string, int> stored_statuses() const {
    std::map<std::string, int> counts;
    std::map<db::NamedValues, std::string> newest;
    db::Store::open(folder_ / "tuning.db", db::OpenMode::read_only)
        .visit_runs({}, db::RunParts::all, [&](const db::StoredRun& run) {
          for (const db::OutcomeRecord& outcome : run.outcomes) newest[outcome.config] = outcome.status;
        });
    for (const auto& [config, status] : newest) ++counts[status];
    return counts;
  }

  test::TemporaryFolder folder_;
};

TEST_F(LateFailure, ACandidateThatFailsInTheRaceLosesItsPlaceAndTheOthersRace) {
  FakeEvaluator fake = evaluator();
  fake.race_time = [](const spec::Config& config) {
    if (config.values[0].as_integer() == 128) throw CandidateFailed(crashed(config));
    return by_threads(config).time_ns;
  };
  db::Store store = db::Store::open(folder_ / "tuning.db", db::OpenMode::create);
  const TuneResult result = tune(fake, &store, {});
  ASSERT_FALSE(result.winners.empty());
  EXPECT_EQ(std::get<std::int64_t>(result.winners.back().config.at("THREADS")), 64);
  EXPECT_EQ(result.counts,
            (std::map<OutcomeStatus, std::int64_t>{{OutcomeStatus::ok, 9}, {OutcomeStatus::crashed, 3}}));
  EXPECT_THAT(result.examples.at(OutcomeStatus::crashed), testing::HasSubstr("in the race"));
  EXPECT_EQ(stored_statuses(), (std::map<std::string, int>{{"ok", 9}, {"crashed", 3}}));
}

TEST_F(LateFailure, WhenAllFailInTheRaceThereIsNoWinner) {
  FakeEvaluator fake = evaluator();
  fake.race_time = [](const spec::Config& config) -> double { throw CandidateFailed(crashed(config)); };
  const TuneResult result = tune(fake, nullptr, {});
  EXPECT_TRUE(result.winners.empty());
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.counts, (std::map<OutcomeStatus, std::int64_t>{{OutcomeStatus::crashed, 12}}));
  EXPECT_THAT(result.verdict, testing::HasSubstr("every candidate failed"));
}

TEST_F(LateFailure, AnEvaluatorThatGivesUpEndsTheRunAndWhatWasDoneIsStored) {
  for (const bool in_race : {false, true}) {
    FakeEvaluator fake = evaluator();
    std::atomic<bool> stop = false;
    fake.on_evaluate = [&](std::size_t evaluated) {
      if (in_race || evaluated < 5) return;
      stop = true;
      throw Interrupted();
    };
    fake.race_time = [&](const spec::Config&) -> double {
      stop = true;
      throw Interrupted();
    };
    TuneOptions options;
    options.stop = &stop;
    std::filesystem::remove(folder_ / "tuning.db");
    db::Store store = db::Store::open(folder_ / "tuning.db", db::OpenMode::create);
    const TuneResult result = tune(fake, &store, options);
    EXPECT_TRUE(result.interrupted);
    EXPECT_EQ(result.ended, "stopped");
    EXPECT_TRUE(result.winners.empty());
    EXPECT_EQ(stored_statuses(), (std::map<std::string, int>{{"ok", in_race ? 12 : 4}}));
  }
}

TEST_F(LateFailure, ARunThatSharedItsGpuIsMarkedAndCertifiesNothing) {
  for (const bool shared : {false, true}) {
    FakeEvaluator fake = evaluator();
    TuneOptions options;
    options.shared_gpu = shared;
    options.resume = false;
    db::Store store = db::Store::open(folder_ / "tuning.db", db::OpenMode::create);
    const TuneResult result = tune(fake, &store, options);
    ASSERT_FALSE(result.winners.empty());
    EXPECT_EQ(result.winners.back().certified, !shared);
    EXPECT_EQ(result.winners.back().interval_low_ns.has_value(), !shared);
    EXPECT_EQ(result.end.clocks.contains("shared_gpu"), shared);
    EXPECT_EQ(result.verdict.find("another tuner") != std::string::npos, shared);
  }
}

}  // namespace
}  // namespace warptune::tuner
