// What is left to find, against integrals of the normal distribution.
#include "tuner/search/outlook.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace warptune::tuner {
namespace {

// G = max(0, X), X normal: E[G] = 1 / sqrt(2 pi), E[G^2] = 1/2, E[G^3] = 2 / sqrt(2 pi), so that
// E[1 - exp(-uG)] = u E[G] - u^2 E[G^2] / 2 + u^3 E[G^3] / 6 - ...
TEST(Outlook, OfOneConfigIsItsExpectedImprovement) {
  const std::vector<Promise> one = {{0, 1, 1}};
  const Outlook outlook = outlook_of(one, 0, 0.01);
  const double mean = 1 / std::sqrt(2 * std::acos(-1.0));
  EXPECT_NEAR(outlook.chance, 0.5, 1e-12);
  EXPECT_NEAR(outlook.gain, 0.01 * mean - 1e-4 / 4 + 1e-6 * 2 * mean / 6, 1e-6);
  EXPECT_EQ(outlook.any_chance, outlook.chance);
  EXPECT_EQ(outlook.any_gain, outlook.gain);
  EXPECT_EQ(outlook.configs, 1U);
}

// Of two independent ones: by the sum over a fine grid of both.
TEST(Outlook, OfSeveralGrowsWithTheirNumber) {
  const std::vector<Promise> two = {{0, 1, 1}, {0, 1, 1}};
  const Outlook outlook = outlook_of(two, 0, 0.01);
  EXPECT_NEAR(outlook.chance, 0.5, 1e-12);
  EXPECT_NEAR(outlook.any_chance, 0.75, 1e-12);
  double sum = 0, weight = 0;
  for (double x = -6; x <= 6; x += 0.02) {
    for (double y = -6; y <= 6; y += 0.02) {
      const double density = std::exp(-(x * x + y * y) / 2);
      weight += density;
      sum += density * -std::expm1(-0.01 * std::max({0.0, x, y}));
    }
  }
  EXPECT_NEAR(outlook.any_gain, sum / weight, 2e-6);
}

// 4 (0.1 + 0.05 + 0.001)^0.3 / 10: ln 0.151 = -1.89048, times 0.3 is -0.56714, and its exponential 0.56714.
TEST(Outlook, AtMostByTheRuleOfExperience) {
  EXPECT_NEAR(gain_at_most(0.1, 0.05, 100), 0.22685, 1e-4);
  EXPECT_EQ(gain_at_most(1, 1, 4), 1) << "nothing saves more than all";
  EXPECT_GT(gain_at_most(0, 0, 100), 0) << "the model's word is not enough";
  EXPECT_LT(gain_at_most(0.1, 0, 400), gain_at_most(0.1, 0, 100));
  EXPECT_LT(gain_at_most(0.1, 0, 100), gain_at_most(0.1, 0.1, 100));
}

TEST(Outlook, WhatMayFailIsWorthLess) {
  const std::vector<Promise> doubtful = {{0, 1, 0.5}};
  EXPECT_NEAR(outlook_of(doubtful, 0, 0.01).chance, 0.25, 1e-12);
}

TEST(Outlook, NothingIsLeftOfNothingAndOfWhatIsSurelySlow) {
  EXPECT_EQ(outlook_of({}, 0, 1).configs, 0U);
  EXPECT_EQ(outlook_of({}, 0, 1).any_gain, 0);
  const std::vector<Promise> slow = {{100, 1, 1}};
  EXPECT_EQ(outlook_of(slow, 0, 1).any_chance, 0);
}

}  // namespace
}  // namespace warptune::tuner
