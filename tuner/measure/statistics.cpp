#include "tuner/measure/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>

namespace warptune::tuner {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

}  // namespace

double quantile(std::span<const double> values, double fraction) {
  assert(!values.empty() && fraction >= 0 && fraction <= 1);
  const std::vector<double> order = sorted(values);
  const double position = fraction * static_cast<double>(order.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, order.size() - 1);
  return order[below] + (position - static_cast<double>(below)) * (order[above] - order[below]);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

MeanSd mean_sd(std::span<const double> values) {
  assert(!values.empty());
  MeanSd result;
  for (const double value : values) result.mean += value;
  result.mean /= static_cast<double>(values.size());
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.sd = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return result;
}

MeanSd paired_difference(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  std::vector<double> differences(a.size());
  std::transform(a.begin(), a.end(), b.begin(), differences.begin(),
                 [](double x, double y) { return x - y; });
  return mean_sd(differences);
}

double student_t_upper(double upper_tail, std::size_t degrees) {
  assert(upper_tail > 0 && upper_tail < 1 && degrees >= 1);
  const boost::math::students_t distribution(static_cast<double>(degrees));
  return boost::math::quantile(boost::math::complement(distribution, upper_tail));
}

Interval mean_interval(std::span<const double> values, double confidence) {
  const MeanSd summary = mean_sd(values);
  if (values.size() < 2) return {summary.mean, summary.mean};
  const double half_width = student_t_upper((1 - confidence) / 2, values.size() - 1) * summary.sd /
                            std::sqrt(static_cast<double>(values.size()));
  return {summary.mean - half_width, summary.mean + half_width};
}

Interval median_interval(std::span<const double> values, double confidence) {
  assert(!values.empty());
  const std::vector<double> order = sorted(values);
  const std::size_t n = order.size();
  // P(fewer than k of n values lie below the median), summed upwards while it stays within the allowed tail. Logarithms,
  // because 2^-n underflows for long runs.
  const double count = static_cast<double>(n);
  const double allowed_tail = (1 - confidence) / 2;
  double tail = 0;
  std::size_t k = 0;
  while (k < n / 2) {
    const double below = static_cast<double>(k);
    tail += std::exp(std::lgamma(count + 1) - std::lgamma(below + 1) - std::lgamma(count - below + 1) -
                     count * std::log(2.0));
    if (tail > allowed_tail) break;
    ++k;
  }
  const std::size_t first = k == 0 ? 0 : k - 1;
  return {order[first], order[n - 1 - first]};
}

}  // namespace warptune::tuner
