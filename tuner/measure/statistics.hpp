// Statistics of timing samples: order statistics, paired differences, Student's t, confidence intervals.
// Pure functions over values; thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warptune::tuner {

struct Interval {
  double low = 0;
  double high = 0;
};

// Mean and sample standard deviation (n - 1 in the denominator; 0 for a single value).
struct MeanSd {
  double mean = 0;
  double sd = 0;
};

// Precondition of all below: `values` is not empty and holds no NaN.

// Quantile at `fraction` in [0, 1], linear between order statistics: position fraction * (n - 1).
double quantile(std::span<const double> values, double fraction);
double median(std::span<const double> values);
MeanSd mean_sd(std::span<const double> values);
// Of a[i] - b[i]. Precondition: equal sizes.
MeanSd paired_difference(std::span<const double> a, std::span<const double> b);

// x with P(T > x) = upper_tail for Student's t with `degrees` degrees of freedom.
// Preconditions: 0 < upper_tail < 1, degrees >= 1.
double student_t_upper(double upper_tail, std::size_t degrees);

// Two-sided interval of the mean at `confidence`, normal theory. A single value gives an interval without width.
Interval mean_interval(std::span<const double> values, double confidence = 0.95);
// Interval of the median from order statistics: the narrowest symmetric pair [x(k), x(n+1-k)] whose coverage under the
// binomial distribution with p = 1/2 is at least `confidence`; the whole range where n is too small for it (n < 6 at 95 %).
Interval median_interval(std::span<const double> values, double confidence = 0.95);

}  // namespace warptune::tuner
