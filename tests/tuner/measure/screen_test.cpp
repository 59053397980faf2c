// What goes into the race.
#include "tuner/measure/screen.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace warptune::tuner {
namespace {

TEST(Screen, KeepsThoseWithinTheFactorFastestFirst) {
  const std::vector<double> times = {120.0, 100.0, 120.1, 119.0, 500.0};
  EXPECT_EQ(screen(times), (std::vector<std::size_t>{1, 3, 0}));
  EXPECT_EQ(screen(times, 1.0), (std::vector<std::size_t>{1}));
}

TEST(Screen, EqualTimesKeepTheirOrder) {
  EXPECT_EQ(screen(std::vector<double>{7, 7, 7}), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Screen, UnusableTimesAreLeftOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(screen(std::vector<double>{nan, 10, infinity, 0, -1}), (std::vector<std::size_t>{1}));
  EXPECT_TRUE(screen(std::vector<double>{}).empty());
  EXPECT_TRUE(screen(std::vector<double>{nan}).empty());
}

}  // namespace
}  // namespace warptune::tuner
