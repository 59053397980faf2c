// Standard errors of samples that are too few to say how they spread: helped by what all samples of a run show. One thread at
// a time.
#pragma once

#include <span>
#include <vector>

namespace warptune::tuner {

// Two blocks agree by chance now and then, and one has no spread at all. A variance is therefore shrunk towards the median of
// those of all samples, which counts as much as four observations more (after Smyth, "Linear models and empirical Bayes
// methods for assessing differential expression", 2004).
class PooledSpread {
 public:
  // Takes part in the median from now on. Preconditions: not empty, all > 0.
  void add(std::span<const double> times);
  // Standard error of the mean of `times`, relative to it; 0 while no sample had two times. Preconditions as above.
  double relative_error(std::span<const double> times) const;

 private:
  std::vector<double> variances_;  // of single times, relative; sorted
};

}  // namespace warptune::tuner
