#include "tuner/loop/neighbour_configs.hpp"

#include <algorithm>
#include <optional>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/spec/space.hpp>

#include "tuner/loop/warm_start.hpp"

namespace warptune::tuner {
namespace {

constexpr std::size_t fastest_others = 3, fastest_versatile = 2, winners_elsewhere = 2, most_stand_ins = 4;

std::vector<const Outcome*> fit_for_other_dims(const std::vector<Outcome>& candidates) {
  std::vector<const Outcome*> fit;
  for (const Outcome& each : candidates)
    if (each.status == OutcomeStatus::ok && each.verified_ragged && each.time_ns()) fit.push_back(&each);
  std::stable_sort(fit.begin(), fit.end(),
                   [](const Outcome* a, const Outcome* b) { return *a->time_ns() < *b->time_ns(); });
  return fit;
}

// Configs of the current winners at other free dims of the same key, the nearest problem first, of one problem the widest
// alignment first.
std::vector<db::NamedValues> configs_won_elsewhere(const db::Store& store, const db::ProblemKey& key) {
  std::vector<std::pair<double, db::NamedValues>> elsewhere;
  store.visit_winners(key.device, key.kernel, [&](const db::StoredWinner& stored) {
    db::ProblemKey same = stored.problem;
    same.free_dims = key.free_dims;
    if (same == key && stored.problem.free_dims != key.free_dims)
      elsewhere.emplace_back(problem_distance(key, stored.problem), stored.winner.config);
  });
  std::reverse(elsewhere.begin(), elsewhere.end());
  std::stable_sort(elsewhere.begin(), elsewhere.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<db::NamedValues> configs;
  for (auto& [distance, config] : elsewhere) configs.push_back(std::move(config));
  return configs;
}

}  // namespace

std::vector<spec::Config> configs_for_neighbours(const spec::Instance& tuned,
                                                 const std::vector<spec::Instance>& neighbours,
                                                 const std::string& policy,
                                                 const std::vector<db::WinnerRecord>& winners,
                                                 const std::vector<Outcome>& candidates,
                                                 const db::Store* store) {
  const std::vector<const Outcome*> fit = fit_for_other_dims(candidates);
  std::vector<spec::Config> configs;
  const auto add = [&](const spec::Config& config) {
    const bool is_fit =
        std::any_of(fit.begin(), fit.end(), [&](const Outcome* each) { return each->config == config; });
    if (!is_fit || std::find(configs.begin(), configs.end(), config) != configs.end()) return false;
    configs.push_back(config);
    return true;
  };
  const auto add_fastest = [&](std::size_t count, const auto& may) {
    for (const Outcome* each : fit)
      if (count > 0 && may(each->config) && add(each->config)) --count;
  };
  for (auto winner = winners.rbegin(); winner != winners.rend(); ++winner)
    add(runtime::read_config(tuned.spec(), winner->config));
  add(tuned.spec().default_config);
  add_fastest(fastest_others, [](const spec::Config&) { return true; });
  add_fastest(fastest_versatile, [&](const spec::Config& config) {
    return std::none_of(neighbours.begin(), neighbours.end(),
                        [&](const spec::Instance& there) { return there.excluded(config).has_value(); });
  });
  if (store == nullptr) return configs;

  std::size_t taken = 0;
  for (const db::NamedValues& config : configs_won_elsewhere(*store, runtime::problem_key(tuned, policy))) {
    if (taken == winners_elsewhere) break;
    try {
      if (add(runtime::read_config(tuned.spec(), config))) ++taken;
    } catch (const Error&) {
      // A row that cannot be read; others say so.
    }
  }
  return configs;
}

std::vector<spec::Config> stand_ins(const spec::Instance& there, const spec::Config& config,
                                    const std::vector<spec::Config>& known) {
  std::vector<spec::Config> near = spec::Space(there).neighbours(config, /*adjacent_only=*/false);
  std::erase_if(near, [&](const spec::Config& each) {
    return std::find(known.begin(), known.end(), each) != known.end();
  });
  if (near.size() > most_stand_ins) near.resize(most_stand_ins);
  return near;
}

}  // namespace warptune::tuner
