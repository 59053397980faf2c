// The race on synthetic clocks: values first, then error rates under drift, ramps, spikes, ties and a quantised clock.
#include "tuner/measure/race.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <warptune/base/error.hpp>

namespace warptune::tuner {
namespace {

const Preference by_index = [](std::size_t a, std::size_t b) { return a < b; };

// A clock with true times and the disturbances that GPUs show. Shared factors move all candidates alike.
struct Noise {
  double block_sd = 0.004;    // independent, per block, in log time
  double drift_sd = 0;        // random walk per block
  double ramp_per_block = 0;  // steady rise per block
  double spike_chance = 0;    // of a block ...
  double spike_size = 0.3;    // ... being longer by this share
  double tick_ns = 0;         // resolution of the event clock
  double block_ns = 1e6;      // length of one block
};

class Clock {
 public:
  Clock(std::vector<double> truth_ns, Noise noise, std::uint64_t seed)
      : truth_ns_(std::move(truth_ns)), noise_(noise), random_(seed) {}

  double operator()(std::size_t candidate) {
    std::normal_distribution<double> normal;
    drift_ += noise_.drift_sd * normal(random_) + noise_.ramp_per_block;
    double time = truth_ns_[candidate] * std::exp(drift_ + noise_.block_sd * normal(random_));
    if (std::uniform_real_distribution<double>()(random_) < noise_.spike_chance)
      time *= 1 + noise_.spike_size;
    if (noise_.tick_ns > 0) {
      const double calls = std::max(1.0, std::round(noise_.block_ns / truth_ns_[candidate]));
      time = std::max(1.0, std::round(time * calls / noise_.tick_ns)) * noise_.tick_ns / calls;
    }
    ++blocks;
    return time;
  }

  int blocks = 0;

 private:
  std::vector<double> truth_ns_;
  Noise noise_;
  std::mt19937_64 random_;
  double drift_ = 0;
};

// `count` times from `best_ns` up, most of them close to the best, as tuning spaces are after screening.
std::vector<double> field_of(std::size_t count, double best_ns, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> truth(count);
  for (double& time : truth) time = best_ns * (1 + 0.2 * std::pow(uniform(random), 1.5));
  return truth;
}

struct Rates {
  int trials = 0, within_one_percent = 0, certified = 0, false_certificates = 0;
  double blocks = 0;
};

Rates run_trials(int trials, std::size_t count, double best_ns, const Noise& noise,
                 RaceOptions options = {}) {
  Rates rates;
  rates.trials = trials;
  for (int t = 0; t < trials; ++t) {
    const auto seed = static_cast<std::uint64_t>(t) + 1;
    const std::vector<double> truth = field_of(count, best_ns, 1000 + seed);
    Clock clock(truth, noise, seed);
    options.seed = seed;
    const RaceResult result = race(count, std::ref(clock), by_index, options);
    const double best = *std::min_element(truth.begin(), truth.end());
    const bool good = truth[result.winner] <= 1.0101 * best;
    rates.within_one_percent += good;
    rates.certified += result.certified;
    rates.false_certificates += result.certified && !good;
    rates.blocks += clock.blocks;
  }
  return rates;
}

TEST(Race, OneCandidateWinsAtTheFirstLookWithAnInterval) {
  Clock clock({1000}, Noise{}, 1);
  const RaceResult result = race(1, std::ref(clock), by_index);
  EXPECT_TRUE(result.certified);
  EXPECT_EQ(result.winner, 0u);
  EXPECT_EQ(result.rounds, 8);
  EXPECT_EQ(result.samples_ns[0].size(), 8u);
  EXPECT_LT(result.interval_ns.low, result.interval_ns.high);
  EXPECT_NEAR(result.interval_ns.low, 1000, 20);
}

TEST(Race, NoCandidateIsAMistakeOfTheCaller) {
  EXPECT_THROW(race(
                   0, [](std::size_t) { return 1.0; }, by_index),
               Error);
}

TEST(Race, SamplesMustBePositiveNumbers) {
  EXPECT_THROW(race(
                   2, [](std::size_t) { return 0.0; }, by_index),
               Error);
  EXPECT_THROW(race(
                   2, [](std::size_t) { return std::nan(""); }, by_index),
               Error);
}

TEST(Race, ClearlySlowCandidatesLeaveAfterThreeRounds) {
  Clock clock({1000, 1000, 1200, 1065}, Noise{.block_sd = 0.001}, 3);
  const RaceResult result = race(4, std::ref(clock), by_index);
  EXPECT_EQ(result.samples_ns[2].size(), 3u);  // 18 % in log time, over the 6 % of the early cut
  EXPECT_EQ(result.samples_ns[3].size(), 3u);
  EXPECT_EQ(result.survivors, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(result.tied, (std::vector<std::size_t>{0, 1}));
}

TEST(Race, PreferenceDecidesAmongTiedOnly) {
  const Preference last_first = [](std::size_t a, std::size_t b) { return a > b; };
  Clock clock({1000, 1001, 1002, 1030}, Noise{.block_sd = 0.001}, 4);
  const RaceResult result = race(4, std::ref(clock), last_first);
  ASSERT_TRUE(result.certified);
  EXPECT_EQ(result.winner, 2u);
  EXPECT_EQ(result.tied, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Race, RoundsAreShuffledAndEachHoldsEverySurvivorOnce) {
  std::vector<std::size_t> order;
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1000, 1);
  const RaceResult result = race(
      5,
      [&](std::size_t c) {
        order.push_back(c);
        return noise(random);
      },
      by_index);
  ASSERT_EQ(order.size(), static_cast<std::size_t>(5 * result.rounds));
  bool some_round_differs = false;
  for (std::size_t round = 0; round * 5 < order.size(); ++round) {
    std::vector<std::size_t> one(order.begin() + static_cast<std::ptrdiff_t>(5 * round),
                                 order.begin() + static_cast<std::ptrdiff_t>(5 * round + 5));
    some_round_differs |= !std::equal(one.begin(), one.end(), order.begin());
    std::sort(one.begin(), one.end());
    EXPECT_EQ(one, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  }
  EXPECT_TRUE(some_round_differs);
}

TEST(Race, SameSeedSameRace) {
  const auto run = [] {
    Clock clock(field_of(12, 5000, 9), Noise{}, 9);
    return race(12, std::ref(clock), by_index).samples_ns;
  };
  EXPECT_EQ(run(), run());
}

TEST(Race, StopEndsItWithoutACertificateAndKeepsCompleteRounds) {
  Clock clock({1000, 1001}, Noise{}, 1);
  RaceOptions options;
  options.stop = [&] { return clock.blocks >= 7; };
  const RaceResult result = race(2, std::ref(clock), by_index, options);
  EXPECT_FALSE(result.certified);
  EXPECT_EQ(result.rounds, 3);
  EXPECT_EQ(result.samples_ns[0].size(), 3u);
  options.stop = [] { return true; };
  EXPECT_EQ(race(2, std::ref(clock), by_index, options).rounds, 0);
}

TEST(Race, HopelessNoiseEndsUncertifiedAtTheLastLook) {
  RaceOptions options;
  options.looks = {8, 12, 17};
  Clock clock({1000, 1000, 1000}, Noise{.block_sd = 0.05}, 2);
  options.early_keep = 1;
  const RaceResult result = race(3, std::ref(clock), by_index, options);
  EXPECT_FALSE(result.certified);
  EXPECT_EQ(result.rounds, 17);
  EXPECT_EQ(result.winner, result.leader);
}

// A round that did not hold counts for nobody, and its blocks are run again.
TEST(Race, RoundsThatDoNotHoldAreRunAgain) {
  Clock clock({1000, 1030, 1040}, Noise{.block_sd = 0.001}, 1);
  RaceOptions options;
  int asked = 0;
  options.round_holds = [&] { return ++asked != 2 && asked != 3; };
  const RaceResult result = race(3, std::ref(clock), by_index, options);
  EXPECT_TRUE(result.certified);
  EXPECT_EQ(result.winner, 0u);
  EXPECT_EQ(result.repeated_rounds, 2);
  EXPECT_EQ(result.disturbed_rounds, 0);
  EXPECT_EQ(asked, result.rounds + 2);
  EXPECT_EQ(result.samples_ns[0].size(), static_cast<std::size_t>(result.rounds));
}

TEST(Race, WhatStaysDisturbedIsNotCertified) {
  Clock clock({1000, 1100}, Noise{.block_sd = 0.001}, 1);
  RaceOptions options;
  options.round_holds = [] { return false; };
  options.repeats_at_most = 4;
  const RaceResult result = race(2, std::ref(clock), by_index, options);
  EXPECT_FALSE(result.certified);
  EXPECT_EQ(result.repeated_rounds, 4);
  EXPECT_EQ(result.disturbed_rounds, result.rounds);
  EXPECT_EQ(result.winner, 0u) << "the leader is still named";
}

TEST(Race, UnevenBlocksAreCountedWithinTheirRound) {
  // Three candidates, four rounds. The second round is 30 % longer for all: drift. In the fourth one block is 50 % longer.
  EXPECT_DOUBLE_EQ(uneven_share({{100, 130, 100, 150}, {200, 260, 200, 200}, {300, 390, 300, 300}}),
                   1.0 / 12);
  EXPECT_DOUBLE_EQ(uneven_share({{100, 100, 100, 50}, {200, 200, 200, 200}, {300, 300, 300, 300}}), 0)
      << "a short block is no disturbance";
  EXPECT_DOUBLE_EQ(uneven_share({{100, 150}}), 0) << "two blocks do not say what is usual";
}

// Time slices of another process: a third of the blocks twice as long.
TEST(Race, SharedCardIsNotCertified) {
  int certified = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Clock clock({1000, 1050, 1100}, Noise{.block_sd = 0.002, .spike_chance = 0.33, .spike_size = 1.0}, seed);
    certified += race(3, std::ref(clock), by_index).certified;
  }
  EXPECT_EQ(certified, 0);
}

// Error rates. Seeds are fixed, so these are regression values of a seeded simulation, not flaky estimates.
TEST(RaceErrorRates, QuietClock) {
  const Rates rates = run_trials(100, 64, 5000, Noise{.block_sd = 0.004});
  EXPECT_GE(rates.within_one_percent, 98);
  EXPECT_GE(rates.certified, 95);
  EXPECT_LE(rates.false_certificates, 2);
}

// Many configs near the best, as kernels bound by memory have. The cut that follows the noise saves blocks and costs no winner.
TEST(RaceErrorRates, TheEarlyCutFollowsTheNoise) {
  for (const double block_sd : {0.001, 0.003}) {
    const Noise noise{.block_sd = block_sd, .drift_sd = 0.0005};
    RaceOptions fixed;
    fixed.early_keep_least = fixed.early_keep;
    const Rates before = run_trials(60, 128, 17000, noise, fixed), now = run_trials(60, 128, 17000, noise);
    EXPECT_GE(now.within_one_percent, 59) << block_sd;
    EXPECT_GE(now.certified, before.certified - 1) << block_sd;
    EXPECT_LE(now.false_certificates, 1) << block_sd;
    EXPECT_LT(now.blocks, 0.9 * before.blocks) << block_sd;
  }
  // With noise that would ask for more, the cut is where it was.
  const Noise loud{.block_sd = 0.02};
  RaceOptions fixed;
  fixed.early_keep_least = fixed.early_keep;
  EXPECT_EQ(run_trials(5, 32, 17000, loud, fixed).blocks, run_trials(5, 32, 17000, loud).blocks);
}

TEST(RaceErrorRates, DriftRampAndSpikes) {
  const Rates drift = run_trials(60, 64, 100000, Noise{.block_sd = 0.004, .drift_sd = 0.0005});
  EXPECT_GE(drift.within_one_percent, 58);
  EXPECT_LE(drift.false_certificates, 1);
  // 5 % over a race of about 1,000 blocks: what a warming card does.
  const Rates ramp = run_trials(60, 64, 100000, Noise{.block_sd = 0.004, .ramp_per_block = 5e-5});
  EXPECT_GE(ramp.within_one_percent, 58);
  EXPECT_LE(ramp.false_certificates, 1);
  const Rates spikes = run_trials(60, 64, 5000, Noise{.block_sd = 0.004, .spike_chance = 0.01});
  EXPECT_GE(spikes.within_one_percent, 57);
  EXPECT_LE(spikes.false_certificates, 1);
}

TEST(RaceErrorRates, CoarseTickIsHarmlessWithBatches) {
  const Rates rates = run_trials(60, 64, 5000, Noise{.block_sd = 0.004, .tick_ns = 1024});
  EXPECT_GE(rates.within_one_percent, 58);
  EXPECT_LE(rates.false_certificates, 1);
}

// One kernel under 32 names: it must come out as a tie, and nobody may be called slower.
TEST(RaceErrorRates, EqualsAreTied) {
  int called_slower = 0, certified = 0;
  constexpr int trials = 200;
  for (int t = 0; t < trials; ++t) {
    Clock clock(std::vector<double>(32, 5000), Noise{.block_sd = 0.004, .drift_sd = 0.0005},
                static_cast<std::uint64_t>(t) + 1);
    const RaceResult result = race(32, std::ref(clock), by_index);
    called_slower += result.survivors.size() < 32;
    certified += result.certified;
  }
  EXPECT_LE(called_slower, trials * 25 / 1000);
  EXPECT_GE(certified, trials * 95 / 100);
}

TEST(ComparePair, CancelsLinearDriftAndCoversTheRatio) {
  Clock clock({1030, 1000}, Noise{.block_sd = 0.001, .ramp_per_block = 0.002}, 6);
  const PairResult result = compare_pair([&] { return clock(0); }, [&] { return clock(1); });
  EXPECT_NEAR(result.ratio, 1.03, 0.002);
  EXPECT_LE(result.ratio_95.low, 1.03);
  EXPECT_GE(result.ratio_95.high, 1.03);
  EXPECT_EQ(result.a_ns.size(), 32u);
  EXPECT_GT(result.ratio_95.low, 1.02);
}

// What a recording holds of a race: 1 and 3 were dropped after 8 and 3 rounds, 0 and 2 ran for 12.
TEST(Race, ARecordingEndsWhereTheRecordedRaceDroppedACandidate) {
  const std::vector<double> truth = {1000, 1020, 1004, 1050};
  std::vector<int> given(4);
  RaceOptions options;
  options.available = {12, 8, 12, 3};
  Clock clock(truth, {.block_sd = 0.001}, 5);
  const RaceResult result = race(
      4,
      [&](std::size_t c) {
        ++given[c];
        return clock(c);
      },
      by_index, options);
  EXPECT_TRUE(result.certified);
  EXPECT_EQ(result.winner, 0u);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_LE(given[c], options.available[c]) << c;
}

TEST(Race, ARecordingWithoutARaceCertifiesNothing) {
  const std::vector<double> truth = {1000, 1001, 1003};
  RaceOptions options;
  options.early_rounds = 2;
  options.available = {2, 2, 40};
  Clock clock(truth, {.block_sd = 0.0001}, 5);
  const RaceResult result = race(3, std::ref(clock), by_index, options);
  EXPECT_FALSE(result.certified);
  EXPECT_EQ(result.survivors.size(), 3u) << "no evidence dropped anyone";
  EXPECT_EQ(result.rounds, 2);
}

}  // namespace
}  // namespace warptune::tuner
