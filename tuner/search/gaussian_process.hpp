// Gaussian process regression, and its predictions for a fixed list of candidates, kept up to date as
// observations come one by one. One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tuner/search/space_kernel.hpp"

namespace warptune::tuner {

// Rasmussen and Williams, "Gaussian Processes for Machine Learning" (2006), algorithm 2.1, with a constant mean by
// generalised least squares and the scale of the prior from the data. A candidate's row of L^-1 k is kept, so that
// one more of n observations costs n operations a candidate.
class GaussianProcess {
 public:
  // `kernel` must outlive this; changing it asks for a new fit.
  explicit GaussianProcess(const SpaceKernel& kernel);
  ~GaussianProcess();

  // Forgets everything before. `noise`: variance of each value relative to the prior's. Preconditions: equal sizes, at
  // least one point, noise > 0.
  void fit(std::span<const Encoded> points, std::span<const double> values, std::span<const double> noise);
  // Without a value: as if it were the predicted one. Precondition: fitted.
  void add(const Encoded& point, std::optional<double> value, double noise);
  // What the covariances are relative to. Precondition: fitted.
  double prior_variance() const;

  // The least of the noiseless values expected at the points. Precondition: fitted.
  double least_mean() const;

  // The list to predict for. Precondition: fitted.
  void set_candidates(std::vector<Encoded> candidates);
  struct Prediction {
    double mean = 0, deviation = 0;
  };
  // Of the noiseless value at a candidate.
  Prediction predict(std::size_t candidate) const;

 private:
  struct State;
  const SpaceKernel& kernel_;
  std::unique_ptr<State> state_;
};

// Lengths of `kernel` and the noise (the logarithm of its variance relative to the prior's) that make the values
// likeliest, under a log-normal prior around the usual lengths; by resilient propagation (Riedmiller and Braun,
// 1993) from those the kernel has. `noise`: as above, beside the one that is learned. Cost: points^3.
void learn_lengths(SpaceKernel& kernel, double& log_noise, std::span<const Encoded> points,
                   std::span<const double> values, std::span<const double> noise);

}  // namespace warptune::tuner
