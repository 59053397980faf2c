#include "tuner/search/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Cholesky>

namespace warptune::tuner {
namespace {

using Eigen::Index;
using Eigen::Lower;

// Added to the diagonal: rounding must not make the matrix indefinite.
constexpr double jitter = 1e-6;
// The prior's scale counts as so many observations of the variance 1 that standardised values have.
constexpr double scale_weight = 2;
constexpr Index room = 64;  // observations that fit before memory moves

}  // namespace

struct GaussianProcess::State {
  std::vector<Encoded> points, candidates;
  Eigen::MatrixXd factor;    // lower triangle L of the covariance, in its first size() rows
  Eigen::VectorXd whitened;  // L^-1 (values - mean)
  std::vector<double> values, noise;
  double mean = 0, scale = 1;  // scale: standard deviation of the prior
  Eigen::MatrixXf solved;      // row per candidate: L^-1 k
  Eigen::VectorXf lift, left;  // per candidate: mean above `mean`; variance left, relative

  Index size() const { return static_cast<Index>(points.size()); }
};

GaussianProcess::GaussianProcess(const SpaceKernel& kernel)
    : kernel_(kernel), state_(std::make_unique<State>()) {}
GaussianProcess::~GaussianProcess() = default;

double GaussianProcess::prior_variance() const { return state_->scale * state_->scale; }

void GaussianProcess::fit(std::span<const Encoded> points, std::span<const double> values,
                          std::span<const double> noise) {
  State& state = *state_;
  state.points.assign(points.begin(), points.end());
  state.values.assign(values.begin(), values.end());
  state.noise.assign(noise.begin(), noise.end());
  state.candidates.clear();
  const Index n = state.size();
  Eigen::MatrixXd covariance(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j)
      covariance(i, j) =
          kernel_.covariance(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
    covariance(i, i) = 1 + jitter + noise[static_cast<std::size_t>(i)];
  }
  const Eigen::LLT<Eigen::MatrixXd, Lower> cholesky(covariance);
  state.factor = Eigen::MatrixXd::Zero(n + room, n + room);
  state.factor.topLeftCorner(n, n) = cholesky.matrixL();
  const Eigen::Map<const Eigen::VectorXd> y(values.data(), n);
  const Eigen::VectorXd weights = cholesky.solve(Eigen::VectorXd::Ones(n));
  state.mean = weights.dot(y) / weights.sum();
  state.whitened = cholesky.matrixL().solve(y - Eigen::VectorXd::Constant(n, state.mean));
  state.scale =
      std::sqrt((state.whitened.squaredNorm() + scale_weight) / (static_cast<double>(n) + scale_weight));
}

void GaussianProcess::add(const Encoded& point, std::optional<double> value, double noise) {
  State& state = *state_;
  const Index n = state.size();
  Eigen::VectorXd row(n);
  for (Index i = 0; i < n; ++i) row[i] = kernel_.covariance(state.points[static_cast<std::size_t>(i)], point);
  state.factor.topLeftCorner(n, n).triangularView<Lower>().solveInPlace(row);
  const double diagonal = std::sqrt(std::max(1 + jitter + noise - row.squaredNorm(), jitter));
  if (n == state.factor.rows())
    state.factor.conservativeResizeLike(Eigen::MatrixXd::Zero(n + room, n + room));
  state.factor.block(n, 0, 1, n) = row.transpose();
  state.factor(n, n) = diagonal;
  const double whitened = value ? (*value - state.mean - row.dot(state.whitened)) / diagonal : 0;
  state.whitened.conservativeResize(n + 1);
  state.whitened[n] = whitened;
  state.points.push_back(point);
  state.noise.push_back(noise);
  state.values.push_back(value ? *value : state.mean + row.dot(state.whitened.head(n)));

  if (state.candidates.empty()) return;
  if (n == state.solved.cols()) state.solved.conservativeResize(Eigen::NoChange, n + room);
  Eigen::VectorXf column = -(state.solved.leftCols(n) * row.cast<float>());
  for (Index c = 0; c < column.size(); ++c)
    column[c] += static_cast<float>(kernel_.covariance(point, state.candidates[static_cast<std::size_t>(c)]));
  column /= static_cast<float>(diagonal);
  state.solved.col(n) = column;
  state.lift += static_cast<float>(whitened) * column;
  state.left -= column.cwiseAbs2();
}

// The smoothed value of an observation is the observation less its noise's share: y - noise * K^-1 (y - mean).
double GaussianProcess::least_mean() const {
  const State& state = *state_;
  const Index n = state.size();
  const Eigen::VectorXd solved =
      state.factor.topLeftCorner(n, n).triangularView<Lower>().transpose().solve(state.whitened);
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    least = std::min(least, state.values[at] - (jitter + state.noise[at]) * solved[i]);
  }
  return least;
}

void GaussianProcess::set_candidates(std::vector<Encoded> candidates) {
  State& state = *state_;
  state.candidates = std::move(candidates);
  if (state.candidates.empty()) return;
  const Index n = state.size(), count = static_cast<Index>(state.candidates.size());
  Eigen::MatrixXf cross(n, count);
  for (Index c = 0; c < count; ++c)
    for (Index i = 0; i < n; ++i)
      cross(i, c) = static_cast<float>(kernel_.covariance(state.points[static_cast<std::size_t>(i)],
                                                          state.candidates[static_cast<std::size_t>(c)]));
  const Eigen::MatrixXf factor = state.factor.topLeftCorner(n, n).cast<float>();
  factor.triangularView<Lower>().solveInPlace(cross);
  state.solved.resize(count, n + room);
  state.solved.leftCols(n) = cross.transpose();
  state.lift = state.solved.leftCols(n) * state.whitened.cast<float>();
  state.left = Eigen::VectorXf::Ones(count) - state.solved.leftCols(n).rowwise().squaredNorm();
}

GaussianProcess::Prediction GaussianProcess::predict(std::size_t candidate) const {
  const auto c = static_cast<Index>(candidate);
  return {state_->mean + static_cast<double>(state_->lift[c]),
          state_->scale * std::sqrt(std::max(static_cast<double>(state_->left[c]), jitter))};
}

}  // namespace warptune::tuner
