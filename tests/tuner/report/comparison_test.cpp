// Comparing two tunings: significance, and which problems belong together.
#include "tuner/report/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace warptune::tuner {
namespace {

db::OutcomeRecord ok(std::vector<float> blocks_ns) {
  db::OutcomeRecord outcome;
  outcome.status = "ok";
  outcome.time_ns = static_cast<double>(blocks_ns[blocks_ns.size() / 2]);
  outcome.blocks_ns = std::move(blocks_ns);
  return outcome;
}

TEST(Change, IntervalIsWelchs) {
  // Logarithms 0, 0.01, 0.02 and 0.05, 0.06, 0.07: means 0.01 and 0.06, both variances 1e-4, so the standard error is
  // sqrt(2e-4 / 3) = 0.008165 with 4 degrees of freedom; t(0.975, 4) = 2.776445, half width 0.022669.
  const auto blocks = [](std::initializer_list<double> logs) {
    std::vector<float> times;
    for (const double log : logs) times.push_back(static_cast<float>(std::exp(log)));
    return times;
  };
  const Change change = change_of(ok(blocks({0, 0.01, 0.02})), ok(blocks({0.05, 0.06, 0.07})), 1);
  EXPECT_NEAR(change.relative, std::expm1(0.05), 1e-6);
  EXPECT_NEAR(*change.low, std::expm1(0.05 - 0.022669), 1e-5);
  EXPECT_NEAR(*change.high, std::expm1(0.05 + 0.022669), 1e-5);
  EXPECT_TRUE(change.significant);
  // Among 100 comparisons the same data prove nothing: t(1 - 0.00025, 4) = 10.3, half width 0.084.
  EXPECT_FALSE(change_of(ok(blocks({0, 0.01, 0.02})), ok(blocks({0.05, 0.06, 0.07})), 100).significant);
}

TEST(Change, WhatRunsDifferByAnywayIsNotSignificant) {
  // 0.5 % with no scatter at all.
  EXPECT_FALSE(change_of(ok({1000, 1000, 1000}), ok({1005, 1005, 1005}), 1).significant);
  EXPECT_TRUE(change_of(ok({1000, 1000, 1000}), ok({1020, 1020, 1020}), 1).significant);
}

TEST(Change, OneBlockProvesNothing) {
  const Change change = change_of(ok({1000}), ok({2000}), 1);
  EXPECT_DOUBLE_EQ(change.relative, 1.0);
  EXPECT_FALSE(change.low.has_value());
  EXPECT_FALSE(change.significant);
}

TEST(Change, EqualDistributionsAreCalledEqual) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.03);
  int called = 0;
  constexpr int trials = 1000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<float> a, b;
    for (int i = 0; i < 10; ++i) {
      a.push_back(static_cast<float>(1000 * std::exp(noise(random))));
      b.push_back(static_cast<float>(1000 * std::exp(noise(random))));
    }
    called += change_of(ok(a), ok(b), 1).significant ? 1 : 0;
  }
  EXPECT_LE(called, trials * 7 / 100);  // 5 % in the mean; 7 % is beyond three standard deviations
}

db::NamedValues config(std::int64_t pack) { return {{"PACK", pack}}; }

Tuning tuning(std::int64_t n, const std::string& model = "A") {
  Tuning result;
  result.problem.kernel = "dot";
  result.problem.free_dims = {{"n", n}};
  result.problem.device.model = model;
  return result;
}

TEST(Compare, CountsWhatHappenedToConfigs) {
  Tuning a = tuning(1), b = tuning(1);
  a.outcomes = {
      {config(1), ok({100, 101, 100})}, {config(2), ok({100, 101, 100})}, {config(4), ok({100, 101, 100})}};
  b.outcomes = {
      {config(1), ok({100, 101, 100})}, {config(2), ok({150, 151, 150})}, {config(8), ok({100, 101, 100})}};
  db::OutcomeRecord failed;
  failed.status = "crashed";
  a.outcomes[config(16)] = ok({100, 101, 100});
  b.outcomes[config(16)] = failed;
  const Comparison result = compare(a, b);
  EXPECT_EQ(result.common, 2);
  EXPECT_EQ(result.slower, 1);
  EXPECT_EQ(result.faster, 0);
  EXPECT_EQ(result.only_a, 1);
  EXPECT_EQ(result.only_b, 1);
  EXPECT_EQ(result.status_changed, 1);
  ASSERT_EQ(result.changes.size(), 2u);
  EXPECT_EQ(result.changes[0].config, config(16)) << "a failure is the largest change";
  EXPECT_EQ(result.changes[1].config, config(2));
}

TEST(Compare, AnotherWinnerIsJudgedOnItsOwnSide) {
  Tuning a = tuning(1), b = tuning(1);
  a.outcomes = {{config(1), ok({100, 101, 100})}, {config(2), ok({110, 111, 110})}};
  b.outcomes = {{config(1), ok({120, 121, 120})}, {config(2), ok({80, 81, 80})}};
  db::WinnerRecord winner;
  winner.alignment_bytes = 16;
  winner.time_ns = 100;
  winner.config = config(1);
  a.winners = {winner};
  winner.config = config(2);
  winner.time_ns = 80;
  b.winners = {winner};
  const Comparison result = compare(a, b);
  ASSERT_EQ(result.winners.size(), 1u);
  EXPECT_FALSE(result.winners[0].same_config);
  EXPECT_TRUE(result.winners[0].change.significant);
  EXPECT_LT(result.winners[0].change.relative, -0.19);
  EXPECT_DOUBLE_EQ(*result.winners[0].old_over_new, 121.0 / 81.0);
}

TEST(PairUp, MatchesProblemsAndPrefersTheSameTemplate) {
  std::vector<Tuning> a = {tuning(1), tuning(2)}, b = {tuning(1), tuning(1), tuning(3)};
  a[0].problem.template_hash = b[1].problem.template_hash = "x";
  const Pairing pairing = pair_up(a, b);
  ASSERT_EQ(pairing.pairs.size(), 1u);
  EXPECT_EQ(pairing.pairs[0].second, &b[1]);
  EXPECT_EQ(pairing.only_a.size(), 1u);
  EXPECT_EQ(pairing.only_b.size(), 2u);
  EXPECT_FALSE(pairing.across_devices);
}

TEST(PairUp, FilesOfTwoGpusAreComparedAcrossThem) {
  const std::vector<Tuning> a = {tuning(1, "A")}, b = {tuning(1, "B")};
  const Pairing pairing = pair_up(a, b);
  EXPECT_TRUE(pairing.across_devices);
  EXPECT_EQ(pairing.pairs.size(), 1u);
}

}  // namespace
}  // namespace warptune::tuner
