// Screening: which candidates are worth racing. Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warptune::tuner {

// Candidates up to this factor over the best screened time go into the race.
inline constexpr double screen_factor = 1.20;

// Indices of the candidates within `factor` of the best, fastest first (ties in the order given). Candidates without a usable
// time (NaN, infinite, not positive) are left out.
std::vector<std::size_t> screen(std::span<const double> times_ns, double factor = screen_factor);

}  // namespace warptune::tuner
