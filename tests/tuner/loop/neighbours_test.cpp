// Timing the finalists at neighbouring problems, on scripted evaluators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/tuner/tune.hpp>

#include "tests/tuner/support/fake_evaluator.hpp"
#include "tests/tuner/support/mini_template.hpp"
#include "tests/tuner/support/temporary_folder.hpp"
#include "tuner/loop/neighbours.hpp"

namespace warptune::tuner {
namespace {

using test::FakeEvaluator;
using test::mini_config;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr std::int64_t n = 1 << 20;

std::int64_t n_of(const spec::Instance& instance) { return instance.problem().dims.find("n")->second; }

// `best_threads` threads with the widest load win: 1000 + 10 |threads - best| + 2000 / pack.
FakeEvaluator::ScriptOf times(double best_threads) {
  return [=](const spec::Config& config) {
    const auto threads = static_cast<double>(config.values[0].as_integer());
    const auto pack = static_cast<double>(config.values[1].as_integer());
    FakeEvaluator::Script script;
    script.time_ns = 1000 + 10 * std::abs(threads - best_threads) + 2000 / pack;
    return script;
  };
}

class Neighbours : public testing::Test {
 protected:
  Neighbours() {
    evaluator_.at_dims = [this](spec::Instance there) -> std::unique_ptr<Evaluator> {
      visited_.push_back(n_of(there));
      if (on_visit) on_visit(there);
      // 256 threads are best at twice the length, 64 at half of it.
      auto made = std::make_unique<FakeEvaluator>(there, times(n_of(there) > n ? 256 : 64), 0.0);
      if (prepare_there) prepare_there(*made);
      return made;
    };
  }
  // "THREADS x PACK" -> time, of what was timed at `dims_n`.
  static std::map<std::string, double> timed(const std::vector<db::NeighbourTime>& all, std::int64_t dims_n) {
    std::map<std::string, double> found;
    for (const db::NeighbourTime& time : all) {
      if (time.dims.at("n") != dims_n) continue;
      const auto number = [&](const char* name) {
        return std::to_string(std::get<std::int64_t>(time.config.at(name)));
      };
      found[number("THREADS") + "x" + number("PACK")] = time.time_ns;
    }
    return found;
  }

  FakeEvaluator evaluator_{
      spec::Instance(test::mini_template(), test::mini_problem("__half", n), test::h200()), times(128), 0.0};
  std::vector<std::int64_t> visited_;
  std::function<void(const spec::Instance&)> on_visit;
  std::function<void(FakeEvaluator&)> prepare_there;
  test::TemporaryFolder folder_;
};

TEST_F(Neighbours, FinalistsAreTimedAtOtherLengths) {
  const TuneResult result = tune(evaluator_, nullptr, {});
  EXPECT_THAT(visited_, ElementsAre(2 * n, n / 2, n * 3 / 2, n * 3 / 4));
  // At n: winners 128x4, 128x2, 128x1 by alignment; the default 64x1; then 64x4 (2140), 32x4 (2460), 64x2 (2640), and
  // the next two, as all may run at every length: 256x4 (2780), 32x2 (2960).
  const std::map<std::string, double> expected_twice = {{"128x4", 2780}, {"128x2", 3280}, {"128x1", 4280},
                                                        {"64x1", 4920},  {"64x4", 3420},  {"32x4", 3740},
                                                        {"64x2", 3920},  {"256x4", 1500}, {"32x2", 4240}};
  EXPECT_EQ(timed(result.neighbours, 2 * n).size(), expected_twice.size());
  for (const auto& [name, time_ns] : expected_twice)
    EXPECT_NEAR(timed(result.neighbours, 2 * n)[name], time_ns, 1e-6) << name;
  EXPECT_NEAR(timed(result.neighbours, n / 2)["64x4"], 1500, 1e-6);
  EXPECT_NEAR(timed(result.neighbours, n * 3 / 4)["64x4"], 1500, 1e-6);
  EXPECT_NEAR(timed(result.neighbours, n / 2)["128x4"], 2140, 1e-6);
  EXPECT_EQ(result.neighbours_failure, "");
  // The winner for wide pointers takes 2780 at 2n, where 256x4 takes 1500.
  EXPECT_THAT(result.verdict,
              testing::HasSubstr("At the 4 neighbouring problems timed it loses at most 85.3 % to "
                                 "the fastest there (n=2097152)"));
}

TEST_F(Neighbours, AreStoredWithTheRun) {
  db::Store store = db::Store::open(folder_ / "tuning.db", db::OpenMode::create);
  const TuneResult result = tune(evaluator_, &store, {});
  const std::vector<db::StoredWinner> winners = store.winners();
  ASSERT_FALSE(winners.empty());
  EXPECT_EQ(store.neighbour_times(winners.back().run), result.neighbours);
  EXPECT_EQ(result.neighbours.size(), 4u * 9u);
  EXPECT_TRUE(store.last_run_end(winners.back().problem)->phase_s.contains("neighbours"));
}

TEST_F(Neighbours, CanBeSwitchedOffAndNeedAnEvaluatorThatGoesElsewhere) {
  TuneOptions off;
  off.neighbours = false;
  EXPECT_THAT(tune(evaluator_, nullptr, off).neighbours, IsEmpty());
  EXPECT_THAT(visited_, IsEmpty());
  evaluator_.at_dims = {};
  const TuneResult replayed = tune(evaluator_, nullptr, {});
  EXPECT_THAT(replayed.neighbours, IsEmpty());
  EXPECT_FALSE(replayed.end.phase_s.contains("neighbours"));
}

TEST_F(Neighbours, AConfigThatFailsThereTakesNoPart) {
  prepare_there = [](FakeEvaluator& there) {
    const auto time = times(128);
    there.race_time = [time](const spec::Config& config) -> double {
      if (config == mini_config(64, 4)) {
        Outcome failed;
        failed.config = config;
        failed.status = OutcomeStatus::crashed;
        failed.reason = "planted";
        throw CandidateFailed(failed);
      }
      return time(config).time_ns;
    };
  };
  const TuneResult result = tune(evaluator_, nullptr, {});
  EXPECT_EQ(timed(result.neighbours, 2 * n).size(), 8u);
  EXPECT_FALSE(timed(result.neighbours, 2 * n).contains("64x4"));
  EXPECT_NEAR(timed(result.neighbours, 2 * n)["128x4"], 1500, 1e-6);
}

TEST_F(Neighbours, OperandsThatDoNotFitCostOnlyThatNeighbour) {
  on_visit = [](const spec::Instance& there) {
    if (n_of(there) > n) throw Error(ErrorKind::out_of_memory, "out of GPU memory", "use smaller dims");
  };
  const TuneResult result = tune(evaluator_, nullptr, {});
  EXPECT_THAT(timed(result.neighbours, 2 * n), IsEmpty());
  EXPECT_EQ(timed(result.neighbours, n / 2).size(), 9u);
  EXPECT_THAT(result.neighbours_failure, testing::HasSubstr("out of GPU memory"));
  EXPECT_FALSE(result.winners.empty());
}

TEST_F(Neighbours, AStopKeepsTheWinners) {
  std::atomic<bool> stop = false;
  TuneOptions options;
  options.stop = &stop;
  on_visit = [&](const spec::Instance&) { stop = true; };
  db::Store store = db::Store::open(folder_ / "tuning.db", db::OpenMode::create);
  const TuneResult result = tune(evaluator_, &store, options);
  EXPECT_FALSE(result.interrupted) << "the race was over";
  EXPECT_THAT(result.neighbours, IsEmpty());
  EXPECT_FALSE(store.winners().empty());
}

TEST_F(Neighbours, NoneIsBegunThatWouldNotEndInTime) {
  const std::vector<spec::Config> configs = {mini_config(128, 4), mini_config(64, 1)};
  on_visit = [](const spec::Instance&) { std::this_thread::sleep_for(std::chrono::milliseconds(60)); };
  const std::vector<spec::Instance> around = neighbours_of(evaluator_.instance());
  const NeighbourTimes timed_in_time =
      time_neighbours(evaluator_, around, configs, {.seconds = 0.1, .stop = {}});
  EXPECT_EQ(timed(timed_in_time.times, 2 * n).size(), 2u);
  EXPECT_THAT(visited_, ElementsAre(2 * n));
  visited_.clear();
  time_neighbours(evaluator_, around, configs, {.seconds = 10, .stop = {}});
  EXPECT_THAT(visited_, ElementsAre(2 * n, n / 2, n * 3 / 2, n * 3 / 4));
}

TEST_F(Neighbours, OneConfigHasNothingToCompareWith) {
  time_neighbours(evaluator_, neighbours_of(evaluator_.instance()), {mini_config(128, 4)},
                  {.seconds = 10, .stop = {}});
  EXPECT_THAT(visited_, IsEmpty());
}

TEST_F(Neighbours, WinnersOfOtherProblemsTakePartWhereTheyAreKnownToBeRight) {
  db::Store store = db::Store::open(folder_ / "tuning.db", db::OpenMode::create);
  FakeEvaluator elsewhere(
      spec::Instance(test::mini_template(), test::mini_problem("__half", 8 * n), test::h200()), times(256),
      0.0);
  tune(elsewhere, &store, {});  // there 256x4 wins for wide pointers
  const TuneResult result = tune(evaluator_, &store, {});
  EXPECT_TRUE(timed(result.neighbours, 2 * n).contains("256x4"));
}

// At twice the length 128 threads may not run: what differs from the winner in one tunable and may is verified there, in the order
// of the tunables, and what proves right takes part. 64x4, 32x4 were finalists anyway.
TEST_F(Neighbours, StandInsTakeTheWinnersPlaceWhereItMayNotRun) {
  const spec::TemplatePtr limited = test::mini_template(
      "\n[[constraint]]\nexpression = \"n <= 1048576 || THREADS != 128\"\nwhy = \"planted\"\n");
  FakeEvaluator evaluator(spec::Instance(limited, test::mini_problem("__half", n), test::h200()), times(128),
                          0.0);
  std::vector<spec::Config> evaluated;
  evaluator.at_dims = [&](spec::Instance there) -> std::unique_ptr<Evaluator> {
    auto made = std::make_unique<FakeEvaluator>(
        there,
        [](const spec::Config& config) {
          FakeEvaluator::Script script = times(256)(config);
          if (config == mini_config(256, 4)) script.status = OutcomeStatus::wrong_result;
          return script;
        },
        0.0);
    FakeEvaluator* const raw = made.get();
    raw->on_evaluate = [&evaluated, raw](std::size_t) { evaluated.push_back(raw->evaluated.back()); };
    return made;
  };
  // Only the winner and the default are brought along.
  const NeighbourTimes found =
      time_neighbours(evaluator, neighbours_of(evaluator.instance()),
                      {mini_config(128, 4), mini_config(64, 1)}, {.seconds = 10, .stop = {}});
  EXPECT_THAT(evaluated, ElementsAre(mini_config(32, 4), mini_config(64, 4), mini_config(256, 4),
                                     mini_config(32, 4), mini_config(64, 4), mini_config(256, 4)))
      << "at 2 n and at 3 n / 2";
  using Times = std::map<std::string, double>;
  EXPECT_EQ(timed(found.times, 2 * n), (Times{{"32x4", 3740}, {"64x4", 3420}, {"64x1", 4920}}));
  EXPECT_EQ(timed(found.times, n / 2), (Times{{"128x4", 2780}, {"64x1", 4920}}));
}

TEST(NeighboursOf, StayWithinTheTemplatesProblems) {
  const auto dims_of = [](std::int64_t length) {
    std::vector<std::int64_t> found;
    for (const spec::Instance& there : neighbours_of(
             spec::Instance(test::mini_template(), test::mini_problem("__half", length), test::h200())))
      found.push_back(n_of(there));
    return found;
  };
  EXPECT_THAT(dims_of(1000), ElementsAre(2000, 500, 1500, 750));
  EXPECT_THAT(dims_of(7), ElementsAre(14, 3, 10, 6)) << "7 + 3, and 7 - 1";
  EXPECT_THAT(dims_of(2), ElementsAre(4, 1, 3)) << "three quarters of two are two";
  EXPECT_THAT(dims_of(1), ElementsAre(2)) << "half of one is nothing";
  EXPECT_THAT(dims_of(std::int64_t{1} << 61), IsEmpty())
      << "neither fits a grid, and twice is more bytes than 64 bits count";
}

TEST(NeighboursOf, APitchFollowsItsRowLengthUnlessItWasStatedOtherwise) {
  const auto dims_of = [](std::int64_t output_pitch) {
    spec::Problem problem;
    problem.types = {{"T", "float"}, {"I", "int"}};
    problem.dims = {{"v", 1000}, {"n", 512}, {"h", 64}, {"output_pitch", output_pitch}};
    std::vector<Dims> found;
    for (const spec::Instance& there :
         neighbours_of(spec::Instance(spec::find_template("embedding"), problem, test::h200())))
      found.push_back(there.problem().dims);
    return found;
  };
  using Some = std::vector<Dims>;
  const auto dims = [](std::int64_t v, std::int64_t length, std::int64_t h, std::int64_t table,
                       std::int64_t output) -> Dims {
    return {{"v", v}, {"n", length}, {"h", h}, {"table_pitch", table}, {"output_pitch", output}};
  };
  EXPECT_EQ(dims_of(64),
            (Some{dims(2000, 512, 64, 64, 64), dims(500, 512, 64, 64, 64), dims(1000, 1024, 64, 64, 64),
                  dims(1000, 256, 64, 64, 64), dims(1000, 512, 128, 128, 128), dims(1000, 512, 32, 32, 32),
                  dims(1500, 512, 64, 64, 64), dims(750, 512, 64, 64, 64), dims(1000, 768, 64, 64, 64),
                  dims(1000, 384, 64, 64, 64), dims(1000, 512, 96, 96, 96), dims(1000, 512, 48, 48, 48)}));
  EXPECT_EQ(dims_of(96),
            (Some{dims(2000, 512, 64, 64, 96), dims(500, 512, 64, 64, 96), dims(1000, 1024, 64, 64, 96),
                  dims(1000, 256, 64, 64, 96), dims(1000, 512, 32, 32, 96), dims(1000, 512, 64, 64, 192),
                  dims(1500, 512, 64, 64, 96), dims(750, 512, 64, 64, 96), dims(1000, 768, 64, 64, 96),
                  dims(1000, 384, 64, 64, 96), dims(1000, 512, 96, 96, 96), dims(1000, 512, 48, 48, 96),
                  dims(1000, 512, 64, 64, 144), dims(1000, 512, 64, 64, 72)}))
      << "rows of 128 do not fit a pitch of 96, nor rows of 64 one of 48";
}

}  // namespace
}  // namespace warptune::tuner
