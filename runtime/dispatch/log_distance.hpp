// How far dims are apart: in octaves, log2(asked / tuned), where 0 counts as 1. Pure functions, thread-safe.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace warptune::runtime {

// Positive: `asked` is the larger one.
inline double octaves_beyond(std::int64_t asked, std::int64_t tuned) {
  const auto logarithm = [](std::int64_t dim) {
    return std::log2(static_cast<double>(std::max<std::int64_t>(dim, 1)));
  };
  return logarithm(asked) - logarithm(tuned);
}
inline double octaves(std::int64_t asked, std::int64_t tuned) {
  return std::abs(octaves_beyond(asked, tuned));
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

// How little times at `timed` say of those at `asked`. Work is done in whole tiles, so that a problem a little larger than one that
// was timed is more like the next larger one than like that: a dim that is below what is asked for counts four times as far.
// Euclidean over the dims of `asked`. Precondition: `timed` has the same names.
template <typename Dims>
double unlikeness(const Dims& asked, const Dims& timed) {
  constexpr double below = 4;
  double squares = 0;
  for (const auto& [name, value] : asked) {
    const double beyond = octaves_beyond(value, timed.at(name));
    const double counts = beyond > 0 ? below * beyond : beyond;
    squares += counts * counts;
  }
  return std::sqrt(squares);
}

}  // namespace warptune::runtime
