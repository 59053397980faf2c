// The model of time: against values worked out by hand, and against itself computed another way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/tuner/replay/made_space.hpp"
#include "tuner/search/failure_model.hpp"
#include "tuner/search/gaussian_process.hpp"

namespace warptune::tuner {
namespace {

// Two words: alike or not, at distance 1.
RecordedSpace words() {
  return {"words", {{"a"}, {{{"x"}, 1.0, {}}, {{"y"}, 2.0, {}}, {{"z"}, 3.0, {}}}}, {}};
}

class Words : public testing::Test {
 protected:
  Words() { kernel_.set({0}, KernelShape::exponential); }
  RecordedSpace space_ = words();
  SpaceKernel kernel_{space_, {}};
};

TEST_F(Words, CovarianceFallsWithDistanceOverLength) {
  EXPECT_NEAR(kernel_.covariance({0}, {0}), 1, 1e-6);
  EXPECT_NEAR(kernel_.covariance({0}, {2}), std::exp(-1), 1e-6);
  EXPECT_NEAR(kernel_.slope(0, {0}, {2}), 1, 1e-6) << "d log exp(-exp(-t)) / dt at 0";
  kernel_.set({0}, KernelShape::matern52);
  const double r = std::sqrt(5.0);
  EXPECT_NEAR(kernel_.covariance({0}, {1}), (1 + r + r * r / 3) * std::exp(-r), 1e-6);
}

// Values 0 and 2 at x and y, c = exp(-1) between any two words. The mean is 1 by symmetry; at z the lift is
// (c c) K^-1 (-1 1)' = 0, the variance left 1 - 2 c^2 / (1 + c), scaled by that of the prior:
// (r' K^-1 r + 2) / (2 + 2) with r' K^-1 r = 2 / (1 - c).
TEST_F(Words, PredictsAsWorkedOutByHand) {
  GaussianProcess process(kernel_);
  const std::vector<Encoded> points = {{0}, {1}};
  const std::vector<double> values = {0, 2}, noise = {1e-9, 1e-9};
  process.fit(points, values, noise);
  process.set_candidates({{2}, {0}});
  const double c = std::exp(-1), scale = (2 / (1 - c) + 2) / 4;
  EXPECT_NEAR(process.prior_variance(), scale, 1e-4);
  EXPECT_NEAR(process.predict(0).mean, 1, 1e-4);
  EXPECT_NEAR(process.predict(0).deviation, std::sqrt(scale * (1 - 2 * c * c / (1 + c))), 1e-4);
  EXPECT_NEAR(process.predict(1).mean, 0, 1e-3) << "what was observed is predicted";
  EXPECT_LT(process.predict(1).deviation, 0.01);
}

TEST_F(Words, NoiseKeepsAPredictionFromTheObservation) {
  GaussianProcess process(kernel_);
  const std::vector<Encoded> points = {{0}, {1}};
  const std::vector<double> values = {0, 2}, noise = {1, 1};
  process.fit(points, values, noise);
  process.set_candidates({{0}});
  EXPECT_GT(process.predict(0).mean, 0.2);
  EXPECT_GT(process.predict(0).deviation, 0.1);
}

// The least smoothed value is what predictions at the observed points say.
TEST_F(Words, TheLeastMeanIsThatOfThePredictions) {
  GaussianProcess process(kernel_);
  const std::vector<Encoded> points = {{0}, {1}, {0}};
  const std::vector<double> values = {0, 2, 1}, noise = {0.5, 0.1, 0.3};
  process.fit(points, values, noise);
  process.add({2}, 3, 0.2);
  process.add({1}, std::nullopt, 0.2);
  process.set_candidates({{0}, {1}, {2}});
  double least = 9;
  for (std::size_t i = 0; i < 3; ++i) least = std::min(least, process.predict(i).mean);
  EXPECT_NEAR(process.least_mean(), least, 1e-5);
  EXPECT_GT(process.least_mean(), 0.1) << "the lowest observation was luck";
}

class Made : public testing::Test {
 protected:
  double value(const Point& point) const { return std::log(space_.at(point).time_ms.value_or(9)); }
  std::vector<Point> every(std::size_t step) const {
    std::vector<Point> points;
    for (std::size_t i = 0; i < space_.results().size(); i += step)
      points.push_back(space_.results()[i].point);
    return points;
  }
  RecordedSpace space_ = test::made_space();
  SpaceKernel kernel_{space_, {}};
};

TEST_F(Made, AddingOneByOneIsTheSameAsFittingAll) {
  std::vector<Encoded> all, candidates;
  std::vector<double> values;
  for (const Point& point : every(11)) {
    all.push_back(kernel_.encode(point));
    values.push_back(value(point));
  }
  for (const Point& point : every(97)) candidates.push_back(kernel_.encode(point));
  const std::vector<double> noise(all.size(), 1e-3);
  GaussianProcess grown(kernel_), whole(kernel_);
  // The mean and the scale stay those of the fit, so that both start from the same.
  whole.fit(all, values, noise);
  whole.set_candidates(candidates);
  grown.fit(all, values, noise);
  grown.set_candidates(candidates);
  const Encoded more = kernel_.encode(space_.results()[5].point);
  whole.add(more, 0.5, 1e-3);
  grown.add(more, 0.5, 1e-3);
  whole.set_candidates(candidates);  // all rows anew
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    EXPECT_NEAR(grown.predict(i).mean, whole.predict(i).mean, 1e-3);
    EXPECT_NEAR(grown.predict(i).deviation, whole.predict(i).deviation, 1e-3);
  }
}

TEST_F(Made, ABelievedPointMovesNoMeanAndLeavesLessToLearn) {
  std::vector<Encoded> points;
  std::vector<double> values;
  for (const Point& point : every(50)) {
    points.push_back(kernel_.encode(point));
    values.push_back(value(point));
  }
  GaussianProcess process(kernel_);
  process.fit(points, values, std::vector<double>(points.size(), 1e-3));
  const Encoded believed = kernel_.encode(space_.results()[7].point);
  process.set_candidates({believed});
  const GaussianProcess::Prediction before = process.predict(0);
  process.add(believed, std::nullopt, 1e-3);
  EXPECT_NEAR(process.predict(0).mean, before.mean, 1e-5);
  EXPECT_LT(process.predict(0).deviation, before.deviation / 2);
}

// PAD changes the time by a twentieth at most, CACHE by half: its values are less alike.
TEST_F(Made, LearnsWhichParametersMatter) {
  std::vector<Encoded> points;
  std::vector<double> values;
  for (const Point& point : every(7)) {
    points.push_back(kernel_.encode(point));
    values.push_back(value(point));
  }
  double log_noise = -6;
  learn_lengths(kernel_, log_noise, points, values, std::vector<double>(points.size(), 0.0));
  EXPECT_GT(kernel_.log_lengths()[4], kernel_.log_lengths()[3]);
  EXPECT_LT(log_noise, -4) << "the formula has no noise";
}

TEST_F(Words, FailuresMakeLikePointsDoubtful) {
  FailureModel failures(kernel_);
  failures.set_candidates({{0}, {1}});
  EXPECT_NEAR(failures.works(1), 0.9, 1e-9) << "the prior";
  failures.tell({0}, true);
  EXPECT_NEAR(failures.works(0), 0.9 / 2, 1e-6);
  const double vote = std::exp(-2);
  EXPECT_NEAR(failures.works(1), 0.9 / (1 + vote), 1e-6);
  failures.tell({1}, false);
  EXPECT_GT(failures.works(1), 0.9 / (1 + vote));
}

}  // namespace
}  // namespace warptune::tuner
