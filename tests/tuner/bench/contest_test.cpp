// Side-by-side timing, on contestants whose times are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tuner/bench/contest.hpp"

namespace warptune::tuner {
namespace {

TEST(Contest, EveryRoundHasOneBlockOfEachInAnOrderOfItsOwn) {
  std::vector<int> order;
  std::vector<Block> contestants;
  for (int i = 0; i < 4; ++i)
    contestants.emplace_back([&order, i] {
      order.push_back(i);
      return 10.0 * (i + 1);
    });
  const auto samples = contest(contestants, 20, 1);
  std::set<std::vector<int>> orders;
  for (int round = 0; round < 20; ++round) {
    const auto first = order.begin() + 4 * round;
    orders.emplace(first, first + 4);
    EXPECT_TRUE(std::is_permutation(first, first + 4, std::vector<int>{0, 1, 2, 3}.begin()));
  }
  EXPECT_GT(orders.size(), 5u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(samples[i], std::vector<double>(20, 10.0 * static_cast<double>(i + 1)));
}

TEST(Contest, StoppedKeepsCompleteRounds) {
  int blocks = 0;
  const std::vector<Block> contestants(3, [&] { return ++blocks, 1.0; });
  const auto samples = contest(contestants, 10, 1, [&] { return blocks == 7; });
  for (const auto& each : samples) EXPECT_EQ(each.size(), 2u);
}

TEST(PairedSpeedup, WhatSlowsAWholeRoundCancels) {
  const std::vector<double> own = {10, 20, 15, 40, 10}, other = {13, 26, 19.5, 52, 99};
  EXPECT_DOUBLE_EQ(paired_speedup(own, other), 1.3);
}

}  // namespace
}  // namespace warptune::tuner
