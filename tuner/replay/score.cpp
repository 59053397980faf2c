#include "tuner/replay/score.hpp"

#include <algorithm>

namespace warptune::tuner {

double fraction_of_optimum(const Trace& trace, std::size_t budget, double optimum_ms) {
  if (trace.empty() || budget == 0) return 0;
  const std::optional<double>& best = trace[std::min(budget, trace.size()) - 1];
  return best ? optimum_ms / *best : 0;
}

RandomBaseline::RandomBaseline(const RecordedSpace& space) {
  for (const RecordedSpace::Result& result : space.results())
    if (result.time_ms) times_.push_back(*result.time_ms);
  std::sort(times_.begin(), times_.end());
  const std::size_t middle = times_.size() / 2;
  median_ms_ = times_.size() % 2 == 1 ? times_[middle] : (times_[middle - 1] + times_[middle]) / 2;
}

double RandomBaseline::best_ms(std::size_t evaluations) const {
  const std::size_t rank = std::max<std::size_t>(1, (times_.size() + 1) / (evaluations + 1));
  return times_[std::min(rank, times_.size()) - 1];
}

std::size_t RandomBaseline::cut_off(std::size_t limit) const {
  const double target = median_ms_ - 0.95 * (median_ms_ - optimum_ms());
  std::size_t low = 1, high = std::max<std::size_t>(1, limit);
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (best_ms(middle) <= target)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

double score_p(std::span<const Trace> traces, const RandomBaseline& baseline, std::size_t limit) {
  const std::size_t cut_off = baseline.cut_off(limit);
  double sum = 0;
  std::size_t counted = 0;
  for (std::size_t t = 1; t <= cut_off; ++t) {
    double best = 0;
    for (const Trace& trace : traces) {
      const std::size_t last = std::min(t, trace.size());
      const std::optional<double> found = last > 0 ? trace[last - 1] : std::nullopt;
      best += found.value_or(baseline.median_ms()) / static_cast<double>(traces.size());
    }
    const double random = baseline.best_ms(t);
    const double reach = random - baseline.optimum_ms();
    if (reach <= 0) break;  // random search has it for certain
    sum += (random - best) / reach;
    ++counted;
  }
  return counted > 0 ? sum / static_cast<double>(counted) : 0;
}

}  // namespace warptune::tuner
