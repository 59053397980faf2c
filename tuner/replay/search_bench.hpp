// Replays recorded spaces through strategies and scores them. Runs on all cores; one call at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <warptune/tuner/strategy.hpp>

#include "tuner/replay/recorded_space.hpp"

namespace warptune::tuner {

struct SearchBenchOptions {
  std::vector<std::string> strategies;
  std::vector<std::int64_t> budgets = {25, 50, 100, 200, 400};  // ascending evaluations, each at least 1
  std::int64_t seeds = 50;
  std::int64_t batch = 1;  // candidates asked for at once
  // Strategies see a time drawn from the recorded mean and spread of one run; the score is of the true best of
  // the ten that looked best, as a race would find it.
  bool noise = false;
  ModelParts parts;
  std::size_t p_limit = 500;  // largest cut-off of the score P
};

struct SearchBenchRow {
  std::string strategy, space;
  std::int64_t budget = 0;
  double median_fraction = 0;  // over the seeds, of optimum / best
  double mean_fraction = 0;    // likewise
  double p = 0;                // of strategy and space, over evaluations up to the cut-off
  double ms_a_proposal = 0;    // processor time of the strategy itself
};

// Rows by strategy, space, budget. Errors: not_found (strategy), what strategies throw.
std::vector<SearchBenchRow> run_search_bench(const std::vector<std::unique_ptr<RecordedSpace>>& spaces,
                                             const SearchBenchOptions& options);

// One search of one space from one seed, up to `evaluations`; ends early where the space does.
struct Replay {
  std::vector<std::optional<double>> best_ms;  // a Trace
  double strategy_s = 0;                       // processor time spent in ask and tell
};
Replay replay(const RecordedSpace& space, const StrategyInfo& strategy, std::uint64_t seed,
              std::int64_t evaluations, const SearchBenchOptions& options);

}  // namespace warptune::tuner
