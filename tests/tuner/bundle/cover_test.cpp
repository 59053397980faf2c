// The cover: cases worked out by hand, and random ones against all subsets.
#include "tuner/bundle/cover.hpp"

#include <bit>
#include <random>

#include <gtest/gtest.h>

namespace warptune::tuner {
namespace {

using Losses = std::vector<std::vector<double>>;
using Members = std::vector<std::size_t>;
constexpr double no = unknown_loss;

TEST(FindCover, OneConfigThatIsNearlyBestEverywhereDoesAlone) {
  const Cover cover = find_cover({{0, 0.3, 0.3}, {0.3, 0, 0.3}, {0.01, 0.015, 0.019}, {0.3, 0.3, 0}}, 0.02);
  EXPECT_EQ(cover.members, Members{2});
  EXPECT_EQ(cover.worst_loss, 0.019);
  EXPECT_TRUE(cover.smallest);
  for (const auto& member : cover.serving) EXPECT_EQ(member, 2u);
}

TEST(FindCover, TheBoundItselfStillCovers) {
  EXPECT_EQ(find_cover({{0, 0.02}, {0.5, 0}}, 0.02).members, Members{0});
  EXPECT_EQ(find_cover({{0, 0.0201}, {0.5, 0}}, 0.02).members, (Members{0, 1}));
}

// Greedy takes the config of four targets first and then needs two more; two of three do.
TEST(FindCover, FindsTwoWhereGreedyFindsThree) {
  const Losses loss = {{no, 0, 0, 0, 0, no}, {0, 0, 0, no, no, no}, {no, no, no, 0, 0, 0}};
  const Cover cover = find_cover(loss, 0.02);
  EXPECT_EQ(cover.members, (Members{1, 2}));
  EXPECT_TRUE(cover.smallest);
}

TEST(FindCover, AmongSmallestSetsTheWorstLossDecides) {
  const Cover cover = find_cover({{0, 0.018}, {0.012, 0}, {0.004, 0.009}}, 0.02);
  EXPECT_EQ(cover.members, Members{2});
  EXPECT_EQ(cover.worst_loss, 0.009);
}

TEST(FindCover, WhatNobodyIsKnownToServeStaysOpen) {
  const Cover cover = find_cover({{0, no, 0.5}, {0.01, no, no}}, 0.02);
  EXPECT_EQ(cover.members, Members{0});
  EXPECT_EQ(cover.serving[0], 0u);
  EXPECT_FALSE(cover.serving[1]);
  EXPECT_FALSE(cover.serving[2]);
  EXPECT_EQ(cover.worst_loss, 0);
  EXPECT_TRUE(find_cover({}, 0.02).members.empty());
  EXPECT_TRUE(find_cover({{no, no}}, 0.02).members.empty());
}

TEST(FindCover, EachTargetIsServedByTheBestMember) {
  const Cover cover = find_cover({{0, 0.019, 0.5}, {0.5, 0.004, 0}}, 0.02);
  EXPECT_EQ(cover.members, (Members{0, 1}));
  EXPECT_EQ(cover.serving[0], 0u);
  EXPECT_EQ(cover.serving[1], 1u);
  EXPECT_EQ(cover.serving[2], 1u);
  EXPECT_EQ(cover.worst_loss, 0.004);
}

struct Best {
  std::size_t size = 0;
  double worst = 0;
};

// All subsets of the configs, tried one by one.
Best by_exhaustion(const Losses& loss, double bound) {
  const std::size_t targets = loss.front().size();
  Best best{loss.size() + 1, no};
  for (unsigned set = 0; set < 1u << loss.size(); ++set) {
    double worst = 0;
    for (std::size_t target = 0; target < targets; ++target) {
      double served = no, possible = no;
      for (std::size_t config = 0; config < loss.size(); ++config) {
        possible = std::min(possible, loss[config][target]);
        if ((set >> config & 1) != 0) served = std::min(served, loss[config][target]);
      }
      if (possible <= bound) worst = std::max(worst, served);
    }
    const auto size = static_cast<std::size_t>(std::popcount(set));
    if (worst <= bound && (size < best.size || (size == best.size && worst < best.worst)))
      best = {size, worst};
  }
  return best;
}

TEST(FindCover, IsTheSmallestOfAllSubsetsAndTheBestOfThose) {
  std::mt19937 random(7);
  int several = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t configs = 2 + random() % 9, targets = 1 + random() % 8;
    Losses loss(configs, std::vector<double>(targets));
    for (auto& row : loss)
      for (double& value : row) value = random() % 4 == 0 ? no : static_cast<double>(random() % 60) / 1000;
    const Best expected = by_exhaustion(loss, 0.02);
    const Cover cover = find_cover(loss, 0.02);
    EXPECT_TRUE(cover.smallest);
    EXPECT_EQ(cover.members.size(), expected.size) << round;
    EXPECT_EQ(cover.worst_loss, expected.worst) << round;
    several += expected.size >= 2 ? 1 : 0;
  }
  EXPECT_GT(several, 100) << "most rounds would be settled by one config";
}

TEST(FindCover, ThousandsOfConfigsAtHundredsOfTargetsEnd) {
  std::mt19937 random(3);
  Losses loss(3000, std::vector<double>(200));
  for (auto& row : loss)
    for (double& value : row) value = static_cast<double>(random() % 100) / 1000;
  const Cover cover = find_cover(loss, 0.02);
  ASSERT_FALSE(cover.members.empty());
  EXPECT_LE(cover.worst_loss, 0.02);
  for (const auto& member : cover.serving) EXPECT_TRUE(member);
}

}  // namespace
}  // namespace warptune::tuner
