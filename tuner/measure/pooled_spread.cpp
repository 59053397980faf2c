#include "tuner/measure/pooled_spread.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/measure/statistics.hpp"

namespace warptune::tuner {
namespace {

constexpr double pooled_weight = 4;

double relative_variance(std::span<const double> times) {
  const MeanSd found = mean_sd(times);
  return found.sd * found.sd / (found.mean * found.mean);
}

}  // namespace

void PooledSpread::add(std::span<const double> times) {
  if (times.size() < 2) return;
  const double variance = relative_variance(times);
  variances_.insert(std::upper_bound(variances_.begin(), variances_.end(), variance), variance);
}

double PooledSpread::relative_error(std::span<const double> times) const {
  if (variances_.empty()) return 0;
  const double own = static_cast<double>(times.size() - 1);
  const double variance =
      (own * relative_variance(times) + pooled_weight * median(variances_)) / (own + pooled_weight);
  return std::sqrt(variance / static_cast<double>(times.size()));
}

}  // namespace warptune::tuner
