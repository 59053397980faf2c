// How well a search did on a recorded space, against random search by calculation. Immutable; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tuner/replay/recorded_space.hpp"

namespace warptune::tuner {

// Best times found after 1, 2, ... evaluations of different configs; nothing while none was valid.
using Trace = std::vector<std::optional<double>>;

// optimum / best after `budget` evaluations; the last best where the search ended before; 0 while nothing
// valid was found.
double fraction_of_optimum(const Trace& trace, std::size_t budget, double optimum_ms);

class RandomBaseline {
 public:
  explicit RandomBaseline(const RecordedSpace& space);

  // The time at the rank that the best of so many draws among the valid configs is expected to have,
  // floor((valid + 1) / (evaluations + 1)). Precondition: evaluations >= 1.
  double best_ms(std::size_t evaluations) const;
  // Evaluations after which that is within 5 % of the way from the median to the optimum, at most `limit`.
  std::size_t cut_off(std::size_t limit) const;

  double median_ms() const { return median_ms_; }
  double optimum_ms() const { return times_.front(); }

 private:
  std::vector<double> times_;  // ascending
  double median_ms_ = 0;
};

// The published score of Willemsen et al., "A methodology for comparing optimization algorithms for
// auto-tuning" (FGCS 159, 2024), with evaluations in place of time: the mean over t = 1 .. cut-off of
// (random(t) - best(t)) / (random(t) - optimum), best(t) the mean over the traces. 0: random search; 1: the
// optimum at once. `limit`: the largest cut-off.
double score_p(std::span<const Trace> traces, const RandomBaseline& baseline, std::size_t limit);

}  // namespace warptune::tuner
