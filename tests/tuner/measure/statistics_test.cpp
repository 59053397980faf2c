// Statistics against values from published tables and hand calculation.
#include "tuner/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace warptune::tuner {
namespace {

TEST(Statistics, MedianAndQuantilesInterpolateBetweenOrderStatistics) {
  const std::vector<double> odd = {5, 1, 3};
  const std::vector<double> even = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(median(odd), 3);
  EXPECT_DOUBLE_EQ(median(even), 2.5);
  EXPECT_DOUBLE_EQ(quantile(even, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(even, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(even, 0.25), 1.75);  // position 0.75 between 1 and 2
  EXPECT_DOUBLE_EQ(median(std::vector<double>{7}), 7);
}

TEST(Statistics, MeanAndSampleDeviation) {
  const MeanSd result = mean_sd(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});  // squares about 5 sum to 32
  EXPECT_DOUBLE_EQ(result.mean, 5);
  EXPECT_NEAR(result.sd, 2.13808993529939, 1e-12);  // sqrt(32 / 7)
  EXPECT_EQ(mean_sd(std::vector<double>{3}).sd, 0);
}

TEST(Statistics, PairedDifferenceIgnoresWhatBothShare) {
  const std::vector<double> a = {101, 252, 33, 1004};
  const std::vector<double> b = {100, 250, 30, 1000};
  const MeanSd d = paired_difference(a, b);  // differences 1 2 3 4
  EXPECT_DOUBLE_EQ(d.mean, 2.5);
  EXPECT_NEAR(d.sd, 1.29099444873581, 1e-12);
}

TEST(Statistics, StudentTMatchesTables) {
  EXPECT_NEAR(student_t_upper(0.025, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_t_upper(0.05, 7), 1.894579, 1e-6);
  EXPECT_NEAR(student_t_upper(0.025, 10), 2.228139, 1e-6);
  EXPECT_NEAR(student_t_upper(0.005, 30), 2.749996, 1e-6);
  EXPECT_NEAR(student_t_upper(0.975, 10), -2.228139, 1e-6);
  // One degree of freedom is the Cauchy distribution: 1 / tan(pi q) far out, where approximations fail.
  EXPECT_NEAR(student_t_upper(1e-8, 1) * 1e-8, 0.318309886, 1e-6);
}

TEST(Statistics, MedianIntervalUsesBinomialRanks) {
  std::vector<double> values(20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
  // Published ranks for n = 20 at 95 %: 6th and 15th (coverage 95.9 %).
  const Interval interval = median_interval(values);
  EXPECT_EQ(interval.low, 6);
  EXPECT_EQ(interval.high, 15);
  // n = 5 cannot reach 95 % (1 - 2/32 = 93.75 %): the whole range. n = 6 can with the extremes.
  EXPECT_EQ(median_interval(std::vector<double>{3, 1, 2, 5, 4}).low, 1);
  EXPECT_EQ(median_interval(std::vector<double>{3, 1, 2, 5, 4}).high, 5);
  // n = 9: 2nd and 8th (coverage 96.1 %).
  const Interval nine = median_interval(std::vector<double>{9, 8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_EQ(nine.low, 2);
  EXPECT_EQ(nine.high, 8);
}

TEST(Statistics, IntervalsCoverTheTruthAsOftenAsTheySay) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(10, 2);
  int mean_hits = 0, median_hits = 0;
  constexpr int trials = 4000;
  for (int t = 0; t < trials; ++t) {
    std::vector<double> values(24);
    for (double& value : values) value = noise(random);
    const Interval of_mean = mean_interval(values);
    const Interval of_median = median_interval(values);
    mean_hits += of_mean.low <= 10 && 10 <= of_mean.high;
    median_hits += of_median.low <= 10 && 10 <= of_median.high;
  }
  // Standard error of a proportion near 0.95 in 4,000 trials: 0.0034.
  EXPECT_NEAR(mean_hits / double{trials}, 0.95, 0.014);
  EXPECT_GE(median_hits / double{trials}, 0.94);
  EXPECT_LE(median_hits / double{trials}, 0.99);
}

}  // namespace
}  // namespace warptune::tuner
