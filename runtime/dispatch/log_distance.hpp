// How far dims are apart: in octaves, |log2(asked / tuned)|, where 0 counts as 1. Pure functions, thread-safe.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace warptune::runtime {

inline double octaves(std::int64_t asked, std::int64_t tuned) {
  const auto logarithm = [](std::int64_t dim) {
    return std::log2(static_cast<double>(std::max<std::int64_t>(dim, 1)));
  };
  return std::abs(logarithm(asked) - logarithm(tuned));
}

// Euclidean over the dims of `asked`. Precondition: `tuned` has the same names.
template <typename Dims>
double log2_distance(const Dims& asked, const Dims& tuned) {
  double squares = 0;
  for (const auto& [name, value] : asked) {
    const double apart = octaves(value, tuned.at(name));
    squares += apart * apart;
  }
  return std::sqrt(squares);
}

}  // namespace warptune::runtime
