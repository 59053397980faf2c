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

// Euclidean over the dims of `asked`; those in which it lies beyond `other` count `beyond` times as far. Precondition: `other` has the
// same names.
template <typename Dims>
double euclidean(const Dims& asked, const Dims& other, double beyond) {
  double squares = 0;
  for (const auto& [name, value] : asked) {
    const double apart = octaves_beyond(value, other.at(name));
    const double counts = apart > 0 ? beyond * apart : apart;
    squares += counts * counts;
  }
  return std::sqrt(squares);
}

// Precondition: `tuned` has the names of `asked`.
template <typename Dims>
double log2_distance(const Dims& asked, const Dims& tuned) {
  return euclidean(asked, tuned, 1);
}

// How little times at `timed` say of those at `asked`. Work is done in whole tiles, so that a problem a little larger than one that
// was timed is more like the next larger one than like that: a dim that is below what is asked for counts four times as far.
// Precondition: `timed` has the names of `asked`.
template <typename Dims>
double unlikeness(const Dims& asked, const Dims& timed) {
  return euclidean(asked, timed, 4);
}

}  // namespace warptune::runtime
