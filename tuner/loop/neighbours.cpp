#include "tuner/loop/neighbours.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "tuner/bench/contest.hpp"
#include "tuner/loop/neighbour_configs.hpp"
#include "tuner/measure/statistics.hpp"

namespace warptune::tuner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int rounds = 12;
constexpr std::size_t fewest_rounds = 5;  // of a neighbour that was cut short

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

// Appends those that may run in place of the first config, where that one may not, once they have proved right.
void add_stand_ins(Evaluator& there, std::vector<spec::Config>& configs, const NeighbourOptions& options) {
  if (!there.instance().excluded(configs.front())) return;
  const std::vector<spec::Config> added = stand_ins(there.instance(), configs.front(), configs);
  there.prepare(added, [](std::size_t, std::size_t) {});
  for (const spec::Config& config : added) {
    if (options.stop && options.stop()) return;
    const Outcome outcome = there.evaluate(config);
    if (outcome.status == OutcomeStatus::ok && outcome.verified_ragged) configs.push_back(config);
  }
}

// Times of `configs`, and of stand-ins for the first. Throws what the evaluator throws.
std::vector<db::NeighbourTime> time_at(Evaluator& there, std::vector<spec::Config> configs,
                                       const NeighbourOptions& options) {
  add_stand_ins(there, configs, options);
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

std::vector<spec::Instance> neighbours_of(const spec::Instance& tuned) {
  std::vector<spec::Instance> neighbours;
  const Dims dims = dims_of_their_own(tuned);
  const auto add = [&](const std::string& name, std::int64_t value, std::int64_t other) {
    if (other < 1 || other == value) return;
    Dims there = dims;
    there.insert_or_assign(name, other);
    if (auto instance = instance_at(tuned, there)) neighbours.push_back(std::move(*instance));
  };
  const auto for_free_dims = [&](const auto& action) {
    for (const spec::DimSpec& dim : tuned.spec().dims)
      if (const auto found = dims.find(dim.name); !dim.key && found != dims.end())
        action(dim.name, found->second);
  };
  for_free_dims([&](const std::string& name, std::int64_t value) {
    add(name, value, value <= INT64_MAX / 2 ? 2 * value : value);
    add(name, value, value / 2);
  });
  for_free_dims([&](const std::string& name, std::int64_t value) {
    add(name, value, value <= INT64_MAX / 2 ? value + value / 2 : value);
    add(name, value, value - value / 4);
  });
  return neighbours;
}

NeighbourTimes time_neighbours(Evaluator& tuned, const std::vector<spec::Instance>& neighbours,
                               const std::vector<spec::Config>& configs, const NeighbourOptions& options) {
  NeighbourTimes result;
  if (configs.size() < 2) return result;
  const auto start = Clock::now();
  double last_s = 0;
  for (const spec::Instance& neighbour : neighbours) {
    const auto before = Clock::now();
    if (seconds_since(start) + last_s > options.seconds || (options.stop && options.stop())) break;
    try {
      const std::unique_ptr<Evaluator> there = tuned.at(neighbour.problem().dims);
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
