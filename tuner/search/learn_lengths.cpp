#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "tuner/search/gaussian_process.hpp"

namespace warptune::tuner {
namespace {

using Eigen::Index;

constexpr int iterations = 15;
constexpr double length_deviation = 1;  // of the prior, in logarithms
constexpr double usual_log_noise = -6, noise_deviation = 1.5;
constexpr double shortest = -3, longest = 5, least_noise = -9, most_noise = 0;
constexpr double jitter = 1e-6, scale_weight = 2;

// Log posterior of lengths and noise, and its gradient (Rasmussen and Williams, equation 5.9), with the mean by
// generalised least squares and the scale integrated at its likeliest value.
class Posterior {
 public:
  Posterior(const SpaceKernel& kernel, std::span<const Encoded> points, std::span<const double> values,
            std::span<const double> noise)
      : kernel_(kernel),
        points_(points),
        values_(values.data(), static_cast<Index>(values.size())),
        noise_(noise.data(), static_cast<Index>(noise.size())) {}

  double evaluate(double log_noise, Eigen::VectorXd& gradient) const {
    const auto n = static_cast<Index>(points_.size());
    const std::size_t dimensions = kernel_.dimensions();
    Eigen::MatrixXd covariance(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) covariance(i, j) = covariance(j, i) = kernel_.covariance(at(i), at(j));
      covariance(i, i) = 1 + jitter + noise_[i] + std::exp(log_noise);
    }
    const Eigen::LLT<Eigen::MatrixXd> cholesky(covariance);
    const Eigen::MatrixXd inverse = cholesky.solve(Eigen::MatrixXd::Identity(n, n));
    const Eigen::VectorXd weights = inverse.rowwise().sum();
    const Eigen::VectorXd residual =
        values_ - Eigen::VectorXd::Constant(n, weights.dot(values_) / weights.sum());
    const Eigen::VectorXd solved = inverse * residual;
    const double counted = static_cast<double>(n) + scale_weight;
    const double variance = (residual.dot(solved) + scale_weight) / counted;
    // Half of the trace of (weight times derivative), each pair once.
    const Eigen::MatrixXd weight = solved * solved.transpose() / variance - inverse;
    gradient = Eigen::VectorXd::Zero(static_cast<Index>(dimensions) + 1);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) {
        const double share = weight(i, j) * covariance(i, j);
        for (std::size_t d = 0; d < dimensions; ++d)
          gradient[static_cast<Index>(d)] += share * kernel_.slope(d, at(i), at(j));
      }
    }
    gradient[static_cast<Index>(dimensions)] = weight.trace() * std::exp(log_noise) / 2;
    double posterior = -counted * std::log(variance) / 2;
    for (Index i = 0; i < n; ++i) posterior -= std::log(cholesky.matrixLLT()(i, i));
    for (std::size_t d = 0; d < dimensions; ++d)
      posterior += prior(kernel_.log_lengths()[d] - kernel_.usual_log_length(), length_deviation,
                         gradient[static_cast<Index>(d)]);
    return posterior +
           prior(log_noise - usual_log_noise, noise_deviation, gradient[static_cast<Index>(dimensions)]);
  }

 private:
  const Encoded& at(Index i) const { return points_[static_cast<std::size_t>(i)]; }

  static double prior(double away, double deviation, double& slope) {
    slope -= away / (deviation * deviation);
    return -away * away / (2 * deviation * deviation);
  }

  const SpaceKernel& kernel_;
  std::span<const Encoded> points_;
  Eigen::Map<const Eigen::VectorXd> values_, noise_;
};

}  // namespace

void learn_lengths(SpaceKernel& kernel, double& log_noise, std::span<const Encoded> points,
                   std::span<const double> values, std::span<const double> noise) {
  const Posterior posterior(kernel, points, values, noise);
  const auto dimensions = static_cast<Index>(kernel.dimensions());
  std::vector<double> lengths = kernel.log_lengths(), best_lengths = lengths;
  double best = -std::numeric_limits<double>::infinity(), best_noise = log_noise, now_noise = log_noise;
  Eigen::VectorXd step = Eigen::VectorXd::Constant(dimensions + 1, 0.25), gradient,
                  before = Eigen::VectorXd::Zero(dimensions + 1);
  for (int i = 0; i < iterations; ++i) {
    const double value = posterior.evaluate(now_noise, gradient);
    if (value > best) {
      best = value;
      best_lengths = lengths;
      best_noise = now_noise;
    }
    for (Index d = 0; d <= dimensions; ++d) {
      const double agreement = gradient[d] * before[d];
      if (agreement > 0) step[d] = std::min(1.3 * step[d], 0.8);
      if (agreement < 0) {
        step[d] /= 2;
        gradient[d] = 0;
      }
      const double move = gradient[d] > 0 ? step[d] : gradient[d] < 0 ? -step[d] : 0;
      if (d == dimensions)
        now_noise = std::clamp(now_noise + move, least_noise, most_noise);
      else
        lengths[static_cast<std::size_t>(d)] =
            std::clamp(lengths[static_cast<std::size_t>(d)] + move, shortest, longest);
    }
    before = gradient;
    kernel.set(lengths, kernel.shape());
  }
  kernel.set(best_lengths, kernel.shape());
  log_noise = best_noise;
}

}  // namespace warptune::tuner
