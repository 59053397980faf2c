#include "tuner/replay/search_bench.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <span>
#include <thread>

#include "tuner/measure/statistics.hpp"
#include "tuner/replay/score.hpp"

namespace warptune::tuner {
namespace {

// Calls `work(i)` for all i < count on all cores. The first exception is thrown again, after all ended.
template <typename Work>
void on_all_cores(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(failure_lock);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 1; i < std::max(1U, std::thread::hardware_concurrency()); ++i) threads.emplace_back(run);
  run();
  threads.clear();
  if (failure) std::rethrow_exception(failure);
}

// Evaluations of one search: the largest budget, and enough for P.
std::int64_t length_of(const RandomBaseline& baseline, const SearchBenchOptions& options) {
  return std::max(options.budgets.back(), static_cast<std::int64_t>(baseline.cut_off(options.p_limit)));
}

void add_rows(const RecordedSpace& space, const RandomBaseline& baseline, const StrategyInfo& strategy,
              std::span<const Replay> replays, const SearchBenchOptions& options,
              std::vector<SearchBenchRow>& rows) {
  std::vector<Trace> traces;
  double seconds = 0, proposals = 0;
  for (const Replay& replay : replays) {
    traces.push_back(replay.best_ms);
    seconds += replay.strategy_s;
    proposals += static_cast<double>(replay.best_ms.size());
  }
  const double p = score_p(traces, baseline, options.p_limit);
  for (const std::int64_t budget : options.budgets) {
    std::vector<double> fractions;
    for (const Trace& trace : traces)
      fractions.push_back(fraction_of_optimum(trace, static_cast<std::size_t>(budget), space.optimum_ms()));
    const double sum = std::accumulate(fractions.begin(), fractions.end(), 0.0);
    rows.push_back({std::string(strategy.name), space.name(), budget, median(fractions),
                    sum / static_cast<double>(fractions.size()), p,
                    1e3 * seconds / std::max(1.0, proposals)});
  }
}

}  // namespace

std::vector<SearchBenchRow> run_search_bench(const std::vector<std::unique_ptr<RecordedSpace>>& spaces,
                                             const SearchBenchOptions& options) {
  std::vector<const StrategyInfo*> infos;
  for (const std::string& name : options.strategies) infos.push_back(&find_strategy(name));
  std::vector<RandomBaseline> baselines;
  for (const auto& space : spaces) baselines.emplace_back(*space);
  // Replay i: strategy by strategy, space by space, seed by seed.
  const auto seeds = static_cast<std::size_t>(options.seeds);
  std::vector<Replay> replays(infos.size() * spaces.size() * seeds);
  on_all_cores(replays.size(), [&](std::size_t i) {
    const std::size_t space = i / seeds % spaces.size();
    replays[i] = replay(*spaces[space], *infos[i / seeds / spaces.size()], i % seeds + 1,
                        length_of(baselines[space], options), options);
  });
  std::vector<SearchBenchRow> rows;
  for (std::size_t strategy = 0; strategy < infos.size(); ++strategy)
    for (std::size_t space = 0; space < spaces.size(); ++space)
      add_rows(*spaces[space], baselines[space], *infos[strategy],
               std::span(replays).subspan((strategy * spaces.size() + space) * seeds, seeds), options, rows);
  return rows;
}

}  // namespace warptune::tuner
