// Standard errors of few samples, worked out by hand.
#include "tuner/measure/pooled_spread.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace warptune::tuner {
namespace {

using Times = std::vector<double>;

TEST(PooledSpread, KnowsNothingWithoutTwoTimes) {
  PooledSpread spread;
  spread.add(Times{100});
  EXPECT_EQ(spread.relative_error(Times{100}), 0);
}

// 90 and 110: sample variance 200, relative to the mean 0.02. With weight 4 for the pool and n - 1 for what is asked:
// (0 + 4 * 0.02) / 5 / 2 for two equal times, (4 * 0.02) / 4 for a single one, 0.02 / 2 for the sample itself.
TEST(PooledSpread, ShrinksTowardsTheMedianVariance) {
  PooledSpread spread;
  spread.add(Times{90, 110});
  EXPECT_NEAR(spread.relative_error(Times{50, 50}), std::sqrt(0.008), 1e-12);
  EXPECT_NEAR(spread.relative_error(Times{50}), std::sqrt(0.02), 1e-12);
  EXPECT_NEAR(spread.relative_error(Times{90, 110}), std::sqrt(0.01), 1e-12);
}

TEST(PooledSpread, OneWildSampleMovesNothing) {
  PooledSpread spread;
  for (int i = 0; i < 5; ++i) spread.add(Times{90, 110});
  spread.add(Times{1, 1000});
  EXPECT_NEAR(spread.relative_error(Times{50}), std::sqrt(0.02), 1e-12);
}

}  // namespace
}  // namespace warptune::tuner
