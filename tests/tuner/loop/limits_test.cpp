// What ends a search, and what it starts from, on a scripted evaluator.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include <warptune/runtime/problem_key.hpp>
#include <warptune/tuner/tune.hpp>

#include "tests/tuner/support/fake_evaluator.hpp"
#include "tests/tuner/support/mini_template.hpp"
#include "tests/tuner/support/temporary_folder.hpp"
#include "tuner/loop/convergence.hpp"
#include "tuner/loop/warm_start.hpp"

namespace warptune::tuner {
namespace {

using test::FakeEvaluator;
using test::mini_config;

// Default (64 threads, PACK 1): 3640. Best of half: 128 threads, PACK 4: 1500.
FakeEvaluator::Script distinct_times(const spec::Config& config) {
  const double threads = static_cast<double>(config.values[0].as_integer());
  const double pack = static_cast<double>(config.values[1].as_integer());
  return {1000 + 10 * std::abs(threads - 128) + 2000 / pack, OutcomeStatus::ok, "", {}};
}

spec::Instance instance(const std::string& type = "__half", std::int64_t n = 1000) {
  return spec::Instance(test::mini_template(), test::mini_problem(type, n), test::h200());
}

TuneResult tuned_with(const Budget& budget, const std::string& strategy = "exhaustive") {
  FakeEvaluator evaluator(instance(), distinct_times, 0);
  TuneOptions options;
  options.strategy = strategy;
  options.budget = budget;
  return tune(evaluator, nullptr, options);
}

std::int64_t tried(const TuneResult& result) { return result.counts.at(OutcomeStatus::ok); }

TEST(Limits, NoneTriesTheWholeOfASmallSpace) {
  for (const char* strategy : {"exhaustive", "auto"}) {
    const TuneResult result = tuned_with({}, strategy);
    EXPECT_EQ(tried(result), 12) << strategy;
    EXPECT_EQ(result.ended, "space") << strategy;
  }
}

TEST(Limits, EndTheSearchAndSayWhich) {
  Budget budget;
  budget.trials = 5;
  EXPECT_EQ(tuned_with(budget).ended, "trials");
  EXPECT_EQ(tried(tuned_with(budget)), 5);
  budget = {};
  budget.gpu_seconds = 0.5;  // what the scripted evaluator says it spent
  EXPECT_EQ(tuned_with(budget).ended, "gpu_seconds");
  EXPECT_EQ(tried(tuned_with(budget)), 1) << "the default comes first";
  budget.gpu_seconds = 0.6;
  EXPECT_EQ(tuned_with(budget).ended, "space");
  budget = {};
  budget.seconds = 1e-9;
  EXPECT_EQ(tuned_with(budget).ended, "seconds");
}

// In the space's order PACK 1, 2, 4 follow one another for 32 threads: 3960, 2960, 2460; then 64: 3640 known,
// 2640, 2140.
TEST(Limits, TargetEndsAtTheFirstTimeThatIsGoodEnough) {
  Budget budget;
  budget.target_ns = 2500;
  const TuneResult result = tuned_with(budget);
  EXPECT_EQ(result.ended, "target");
  EXPECT_EQ(tried(result), 4) << "the default, and 32 threads with PACK 1, 2, 4";
}

// 128 threads, PACK 4 is the ninth config in order and the best; what follows, 256 threads, has three.
TEST(Limits, IdleTrialsEndASearchThatStandsStill) {
  Budget budget;
  budget.idle_trials = 2;
  const TuneResult result = tuned_with(budget);
  EXPECT_EQ(result.ended, "idle");
  EXPECT_LT(tried(result), 12);
}

TEST(Limits, AnUnlimitedSearchOfALargeSpaceEndsWhenItStandsStill) {
  FakeEvaluator evaluator(
      spec::Instance(test::huge_template(), test::mini_problem(), test::h200()),
      [](const spec::Config&) {
        return FakeEvaluator::Script{1000, OutcomeStatus::ok, "", {}};
      },
      0);
  TuneOptions options;
  options.strategy = "local";
  const TuneResult result = tune(evaluator, nullptr, options);
  EXPECT_EQ(result.ended, "idle");
  EXPECT_EQ(tried(result), 401) << "the default, and 400 that are no faster";
}

class WarmStart : public testing::Test {
 protected:
  void tune_and_store(const std::string& type, std::int64_t n) {
    FakeEvaluator evaluator(instance(type, n), distinct_times, 0);
    tune(evaluator, &store_, {});
  }
  test::TemporaryFolder folder_;
  db::Store store_ = db::Store::open(folder_ / "tuning.db", db::OpenMode::create);
};

TEST_F(WarmStart, TriesTheWinnersOfOtherProblemsFirst) {
  tune_and_store("__half", 1000);
  TuneOptions options;
  options.strategy = "auto";
  options.budget.trials = 2;
  FakeEvaluator warm(instance("__half", 2000), distinct_times, 0);
  tune(warm, &store_, options);
  ASSERT_EQ(warm.evaluated.size(), 2u);
  EXPECT_EQ(warm.evaluated[0], mini_config(64, 1)) << "the default";
  EXPECT_EQ(warm.evaluated[1].values[0], mini_config(128, 1).values[0]) << "all winners have 128 threads";

  options.warm_start = false;
  FakeEvaluator cold(instance("__half", 3000), distinct_times, 0),
      colder(instance("__half", 3000), distinct_times, 0);
  tune(cold, &store_, options);
  tune(colder, nullptr, options);
  EXPECT_EQ(cold.evaluated, colder.evaluated) << "the database changes nothing";
}

TEST_F(WarmStart, TheNearestProblemComesFirstAndForeignConfigsAreLeftOut) {
  tune_and_store("__half", 1 << 20);  // its best has PACK 4, which float does not allow
  tune_and_store("float", 1000);
  const TemplateSpace space(instance("float", 1024));
  const db::ProblemKey key = runtime::problem_key(instance("float", 1024), "cold");
  const std::vector<Point> points = guesses_nearby(store_, key, space, 10);
  ASSERT_FALSE(points.empty());
  for (const Point& point : points) EXPECT_TRUE(space.contains(point));
  EXPECT_EQ(std::count(points.begin(), points.end(), points.front()), 1);
  EXPECT_EQ(guesses_nearby(store_, key, space, 1).size(), 1u);
}

// 3 % behind the fastest are 1030 ns. Of the three others within that 64x1 differs in two tunables from the fastest, the others in one.
TEST_F(WarmStart, OfWhatWasNearlyAsFastNearbyTheMostDifferentComesFirst) {
  const std::map<std::pair<std::int64_t, std::int64_t>, double> times = {
      {{128, 4}, 1000}, {{256, 4}, 1012}, {{64, 4}, 1015}, {{64, 1}, 1025}, {{32, 2}, 1031}};
  FakeEvaluator evaluator(
      instance("__half", 1000),
      [&](const spec::Config& config) {
        FakeEvaluator::Script script;
        const auto found = times.find({config.values[0].as_integer(), config.values[1].as_integer()});
        script.time_ns = found == times.end() ? 2000 : found->second;
        return script;
      },
      0);
  tune(evaluator, &store_, {});
  const TemplateSpace space(instance("__half", 2000));
  const auto points = [&](std::size_t count) {
    return guesses_nearby(store_, runtime::problem_key(instance("__half", 2000), "cold"), space, count);
  };
  const Point fastest = space.point(mini_config(128, 4)), different = space.point(mini_config(64, 1)),
              second = space.point(mini_config(256, 4)), third = space.point(mini_config(64, 4));
  EXPECT_EQ(points(2), (std::vector<Point>{fastest, different}));
  EXPECT_EQ(points(4), (std::vector<Point>{fastest, different, second, third}));
}

// The default is THREADS=64 PACK=1; half allows PACK 2 and 4.
TEST(WiderDefaults, AreTheDefaultWithOneTunableChangedWidestFirst) {
  const TemplateSpace space(instance("__half", 1000));
  const Point four = space.point(mini_config(64, 4)), two = space.point(mini_config(64, 2));
  EXPECT_EQ(wider_defaults(space, 9), (std::vector<Point>{four, two}));
  EXPECT_EQ(wider_defaults(space, 1), std::vector<Point>{four});
}

TEST(WiderDefaults, AreTriedAfterTheDefaultUnlessLeftOut) {
  TuneOptions options;
  options.strategy = "auto";
  options.budget.trials = 3;
  FakeEvaluator wide(instance("__half", 1000), distinct_times, 0);
  tune(wide, nullptr, options);
  EXPECT_EQ(wide.evaluated,
            (std::vector<spec::Config>{mini_config(64, 1), mini_config(64, 4), mini_config(64, 2)}));
  options.parts.widths = false;
  FakeEvaluator plain(instance("__half", 1000), distinct_times, 0);
  tune(plain, nullptr, options);
  EXPECT_NE(plain.evaluated, wide.evaluated);
}

TEST(ProblemDistance, AddsUpWhatDiffers) {
  db::ProblemKey a = runtime::problem_key(instance("__half", 1024), "cold"), b = a;
  EXPECT_EQ(problem_distance(a, b), 0);
  b.free_dims["n"] = 4096;
  EXPECT_EQ(problem_distance(a, b), 2) << "four times: two doublings";
  b.types["T"] = "float";
  EXPECT_EQ(problem_distance(a, b), 4);
  b.device.model = "other";
  EXPECT_EQ(problem_distance(b, a), 8);
  b.policy = "hot";
  EXPECT_EQ(problem_distance(a, b), 9);
}

db::StoredOutcome outcome(std::int64_t block, std::optional<double> time_ns) {
  db::StoredOutcome stored;
  stored.outcome.config = {{"THREADS", block}};
  stored.outcome.status = time_ns ? "ok" : "crashed";
  stored.outcome.time_ns = time_ns;
  return stored;
}

TEST(Convergence, KeepsTheTrialsThatBroughtSomethingFaster) {
  const Convergence found =
      convergence({outcome(1, 50), outcome(2, std::nullopt), outcome(3, 60), outcome(4, 40), outcome(5, 40)});
  EXPECT_EQ(found.trials, 5);
  EXPECT_EQ(found.failed, 1);
  ASSERT_EQ(found.improvements.size(), 2u);
  EXPECT_EQ(found.improvements[0].trial, 1);
  EXPECT_EQ(found.improvements[1].trial, 4);
  EXPECT_EQ(found.improvements[1].time_ns, 40);
}

TEST_F(WarmStart, RacedOutcomesKeepTheirPlaceInTheOrder) {
  tune_and_store("__half", 1000);
  const auto outcomes = store_.outcomes(runtime::problem_key(instance("__half", 1000), "cold"));
  ASSERT_EQ(outcomes.size(), 12u);
  for (std::size_t i = 1; i < outcomes.size(); ++i)
    EXPECT_LE(outcomes[i - 1].outcome.at_unix_ms, outcomes[i].outcome.at_unix_ms);
}

TEST(OutlookOfASpace, IsNothingWhereAllIsKnownAndUnknownWhereLittleIs) {
  const spec::Instance of = instance("__half", 1000);
  const TemplateSpace space(of);
  std::vector<db::OutcomeRecord> outcomes;
  space.for_each([&](const Point& point) {
    const spec::Config config = space.config(point);
    db::OutcomeRecord record = outcome(0, distinct_times(config).time_ns).outcome;
    record.config = runtime::stored_config(of.spec(), config);
    outcomes.push_back(record);
    return true;
  });
  const std::optional<Outlook> all = outlook(of, outcomes);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->chance, 0);
  EXPECT_EQ(all->gain, 0);
  EXPECT_EQ(all->any_gain, 0);
  EXPECT_EQ(all->at_most, 0);
  EXPECT_EQ(all->configs, 0U);
  EXPECT_FALSE(outlook(of, std::span(outcomes).first(2)));
  const std::optional<Outlook> some = outlook(of, std::span(outcomes).first(6));
  ASSERT_TRUE(some);
  EXPECT_GT(some->chance, 0);
  EXPECT_LT(some->chance, 1);
  EXPECT_GT(some->gain, 0);
  EXPECT_LT(some->gain, 1);
  EXPECT_GE(some->any_chance, some->chance);
  EXPECT_GE(some->any_gain, some->gain);
  EXPECT_LT(some->any_gain, 1);
  EXPECT_GT(some->at_most, 0);
  EXPECT_EQ(some->configs, outcomes.size() - 6);
}

}  // namespace
}  // namespace warptune::tuner
