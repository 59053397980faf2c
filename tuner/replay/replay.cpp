#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include <warptune/base/error.hpp>

#include "tuner/replay/search_bench.hpp"
#include "tuner/search/draw.hpp"

namespace warptune::tuner {
namespace {

constexpr std::size_t raced = 10;

// Standard normal, by Box and Muller.
double draw_normal(std::mt19937_64& random) {
  const double radius = std::sqrt(-2 * std::log(1 - draw_unit(random)));
  return radius * std::cos(2 * std::numbers::pi * draw_unit(random));
}

// Of this thread: other programs on the machine do not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What a strategy is told, and the best that the deciding race would pick among what it was told.
class Measurer {
 public:
  Measurer(bool noise, std::uint64_t seed) : noise_(noise), random_(seed) {}

  Observation measure(const RecordedSpace::Result& result) {
    Observation observation{result.point, result.time_ms, 0};
    if (!noise_ || !result.time_ms) return note(observation, result);
    observation.uncertainty = result.std_ms.value_or(0) / *result.time_ms;
    // A run is never much faster than the mean: times below half of it would be no noise but a fault.
    observation.time = *result.time_ms * std::max(0.5, 1 + observation.uncertainty * draw_normal(random_));
    return note(observation, result);
  }

  std::optional<double> best_ms() const {
    std::optional<double> best;
    for (const auto& [seen, truth] : leaders_) best = std::min(best.value_or(truth), truth);
    return best;
  }

 private:
  const Observation& note(const Observation& observation, const RecordedSpace::Result& result) {
    if (observation.time) leaders_.emplace(*observation.time, *result.time_ms);
    if (leaders_.size() > (noise_ ? raced : 1)) leaders_.erase(std::prev(leaders_.end()));
    return observation;
  }

  bool noise_;
  std::mt19937_64 random_;
  std::multiset<std::pair<double, double>> leaders_;  // time told, true time
};

}  // namespace

Replay replay(const RecordedSpace& space, const StrategyInfo& strategy, std::uint64_t seed,
              std::int64_t evaluations, const SearchBenchOptions& options) {
  Replay result;
  double start = cpu_seconds();
  StrategyOptions strategy_options;
  strategy_options.seed = seed;
  strategy_options.parts = options.parts;
  const std::unique_ptr<Strategy> searcher = strategy.make(space, strategy_options);
  result.strategy_s = cpu_seconds() - start;
  Measurer measurer(options.noise, seed);
  std::set<Point> seen;
  while (std::ssize(result.best_ms) < evaluations) {
    start = cpu_seconds();
    const auto count = std::min(options.batch, evaluations - std::ssize(result.best_ms));
    const std::vector<Point> batch = searcher->ask(static_cast<std::size_t>(count));
    result.strategy_s += cpu_seconds() - start;
    if (batch.empty()) return result;
    for (const Point& point : batch) {
      if (!space.contains(point) || !seen.insert(point).second)
        throw Error(ErrorKind::internal, "strategy '" + std::string(strategy.name) +
                                             "' proposed a config that " +
                                             (space.contains(point) ? "was tried" : "is not in the space"));
      const Observation observation = measurer.measure(space.at(point));
      start = cpu_seconds();
      searcher->tell(observation);
      result.strategy_s += cpu_seconds() - start;
      result.best_ms.push_back(measurer.best_ms());
    }
  }
  return result;
}

}  // namespace warptune::tuner
