// How likely a config is to fail, from those that did. One thread at a time.
#pragma once

#include <span>
#include <vector>

#include "tuner/search/space_kernel.hpp"

namespace warptune::tuner {

// A vote of all known points, each with the square of its covariance as weight, and of one imaginary point that
// says what the prior says: a kernel-weighted average (Nadaraya and Watson, 1964).
class FailureModel {
 public:
  explicit FailureModel(const SpaceKernel& kernel) : kernel_(kernel) {}

  // The list to predict for; forgets what was told.
  void set_candidates(std::vector<Encoded> candidates);
  void tell(const Encoded& point, bool failed);
  // Probability that a candidate works.
  double works(std::size_t candidate) const {
    return (prior_ + worked_[candidate]) / (1 + worked_[candidate] + failed_[candidate]);
  }

 private:
  static constexpr double prior_ = 0.9;
  const SpaceKernel& kernel_;
  std::vector<Encoded> candidates_;
  std::vector<double> worked_, failed_;  // votes
};

}  // namespace warptune::tuner
