#include "tuner/loop/neighbours.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "tuner/bench/contest.hpp"
#include "tuner/loop/warm_start.hpp"
#include "tuner/measure/statistics.hpp"

namespace warptune::tuner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int rounds = 12;
constexpr std::size_t fewest_rounds = 5;  // of a neighbour that was cut short
constexpr std::size_t fastest_others = 3, winners_elsewhere = 2;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// `dims`: those that are left out take their defaults.
std::optional<spec::Instance> instance_at(const spec::Instance& tuned, const Dims& dims) {
  try {
    spec::Problem problem = tuned.problem();
    problem.dims = dims;
    spec::Instance there(tuned.spec_ptr(), std::move(problem), tuned.device());
    // The default stands for all: whatever the dims themselves break, it breaks too.
    if (there.excluded(there.spec().default_config)) return std::nullopt;
    return there;
  } catch (const Error&) {
    return std::nullopt;  // sizes that overflow
  }
}

// The dims without those that have the values which the others give them by default: a pitch follows its row length.
Dims dims_of_their_own(const spec::Instance& tuned) {
  Dims dims = tuned.problem().dims;
  for (const spec::DimSpec& dim : tuned.spec().dims) {
    const auto found = dims.find(dim.name);
    Dims without = dims;
    without.erase(dim.name);
    try {
      spec::Problem problem = tuned.problem();
      problem.dims = without;
      const spec::Instance there(tuned.spec_ptr(), std::move(problem), tuned.device());
      if (there.problem().dims.find(dim.name)->second == found->second) dims = std::move(without);
    } catch (const Error&) {
      // It has no default.
    }
  }
  return dims;
}

// Times of `configs` in the order given. Throws what the evaluator throws.
std::vector<db::NeighbourTime> time_at(Evaluator& there, std::vector<spec::Config> configs,
                                       const NeighbourOptions& options) {
  std::erase_if(configs, [&](const spec::Config& config) { return there.instance().excluded(config); });
  std::vector<std::vector<double>> samples;
  while (configs.size() >= 2) {
    there.prepare(configs, [](std::size_t, std::size_t) {});
    there.retain_only(configs);
    std::vector<Block> blocks;
    for (const spec::Config& config : configs) blocks.push_back([&] { return there.time_block(config); });
    try {
      samples = contest(blocks, rounds, options.seed, options.stop);
      break;
    } catch (const CandidateFailed& failure) {
      if (std::erase(configs, spec::Config(failure.outcome().config)) == 0) throw;
    }
  }
  std::vector<db::NeighbourTime> times;
  if (samples.empty() || samples.front().size() < fewest_rounds) return times;
  const db::ProblemKey key = runtime::problem_key(there.instance(), {});
  const double first_ns = median(samples.front());
  for (std::size_t i = 0; i < configs.size(); ++i) {
    // Paired with the first, so that what slowed a whole round does not count.
    const double time_ns = first_ns / paired_speedup(samples[i], samples.front());
    times.push_back({key.free_dims, runtime::stored_config(there.instance().spec(), configs[i]), time_ns,
                     static_cast<std::int64_t>(samples[i].size())});
  }
  return times;
}

}  // namespace

std::vector<Dims> neighbour_dims(const spec::Instance& tuned) {
  std::vector<Dims> neighbours;
  const Dims dims = dims_of_their_own(tuned);
  for (const spec::DimSpec& dim : tuned.spec().dims) {
    const auto found = dims.find(dim.name);
    if (dim.key || found == dims.end()) continue;
    const std::int64_t value = found->second;
    for (const std::int64_t other : {value <= INT64_MAX / 2 ? 2 * value : value, value / 2}) {
      if (other < 1 || other == value) continue;
      Dims there = dims;
      there.insert_or_assign(dim.name, other);
      if (const auto instance = instance_at(tuned, there)) neighbours.push_back(instance->problem().dims);
    }
  }
  return neighbours;
}

std::vector<spec::Config> configs_for_neighbours(const spec::Instance& tuned, const std::string& policy,
                                                 const std::vector<db::WinnerRecord>& winners,
                                                 const std::vector<Outcome>& candidates,
                                                 const db::Store* store) {
  std::vector<const Outcome*> fit;
  for (const Outcome& each : candidates)
    if (each.status == OutcomeStatus::ok && each.verified_ragged && each.time_ns()) fit.push_back(&each);
  std::stable_sort(fit.begin(), fit.end(),
                   [](const Outcome* a, const Outcome* b) { return *a->time_ns() < *b->time_ns(); });
  std::vector<spec::Config> configs;
  const auto add = [&](const spec::Config& config) {
    const bool is_fit =
        std::any_of(fit.begin(), fit.end(), [&](const Outcome* each) { return each->config == config; });
    if (!is_fit || std::find(configs.begin(), configs.end(), config) != configs.end()) return false;
    configs.push_back(config);
    return true;
  };
  for (auto winner = winners.rbegin(); winner != winners.rend(); ++winner)
    add(runtime::read_config(tuned.spec(), winner->config));
  add(tuned.spec().default_config);
  std::size_t others = 0;
  for (const Outcome* each : fit)
    if (others < fastest_others && add(each->config)) ++others;
  if (store == nullptr) return configs;

  const db::ProblemKey key = runtime::problem_key(tuned, policy);
  std::vector<std::pair<double, db::NamedValues>> elsewhere;
  store->visit_winners(key.device, key.kernel, [&](const db::StoredWinner& stored) {
    db::ProblemKey same = stored.problem;
    same.free_dims = key.free_dims;
    if (same == key && stored.problem.free_dims != key.free_dims)
      elsewhere.emplace_back(problem_distance(key, stored.problem), stored.winner.config);
  });
  std::reverse(elsewhere.begin(), elsewhere.end());  // of one problem the widest alignment first
  std::stable_sort(elsewhere.begin(), elsewhere.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t taken = 0;
  for (const auto& [distance, config] : elsewhere) {
    if (taken == winners_elsewhere) break;
    try {
      if (add(runtime::read_config(tuned.spec(), config))) ++taken;
    } catch (const Error&) {
      // A row that cannot be read; others say so.
    }
  }
  return configs;
}

NeighbourTimes time_neighbours(Evaluator& tuned, const std::vector<spec::Config>& configs,
                               const NeighbourOptions& options) {
  NeighbourTimes result;
  if (configs.size() < 2) return result;
  const auto start = Clock::now();
  double last_s = 0;
  for (const Dims& dims : neighbour_dims(tuned.instance())) {
    const auto before = Clock::now();
    if (seconds_since(start) + last_s > options.seconds || (options.stop && options.stop())) break;
    try {
      const std::unique_ptr<Evaluator> there = tuned.at(dims);
      if (there == nullptr) break;
      std::vector<db::NeighbourTime> times = time_at(*there, configs, options);
      result.times.insert(result.times.end(), times.begin(), times.end());
      result.gpu_s += there->gpu_seconds();
    } catch (const Interrupted&) {
      break;
    } catch (const Error& error) {
      result.failure = error.full_text();
      // Operands that do not fit are no reason to leave out smaller ones.
      if (error.kind() != ErrorKind::out_of_memory && error.kind() != ErrorKind::bad_input) break;
    }
    last_s = seconds_since(before);
  }
  return result;
}

}  // namespace warptune::tuner
