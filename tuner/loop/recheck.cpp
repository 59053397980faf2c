#include "tuner/loop/recheck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include <warptune/runtime/problem_key.hpp>

#include "tuner/loop/outcome_record.hpp"
#include "tuner/loop/watched_pair.hpp"
#include "tuner/measure/conditions_log.hpp"
#include "tuner/measure/race.hpp"

namespace warptune::tuner {
namespace {

// Those that are ok, the winner first.
std::vector<spec::Config> still_ok(Evaluator& evaluator, const std::vector<spec::Config>& configs,
                                   std::string& winner_fails) {
  evaluator.prepare(configs, [](std::size_t, std::size_t) {});
  std::vector<spec::Config> ok;
  for (const spec::Config& config : configs) {
    const Outcome outcome = evaluator.evaluate(config);
    if (outcome.status == OutcomeStatus::ok) {
      ok.push_back(config);
    } else if (config == configs.front()) {
      winner_fails = fmt::format("{}: {}", to_string(outcome.status), outcome.reason);
      return {};
    }
  }
  return ok;
}

Recheck timed(Evaluator& evaluator, const std::vector<spec::Config>& field, const RecheckOptions& options) {
  Recheck result;
  result.raced = static_cast<int>(field.size());
  ConditionsLog log;
  const auto sample = [&](std::size_t i) { return evaluator.time_block(field[i]); };
  RaceOptions race_options;
  race_options.seed = options.seed;
  race_options.stop = options.stop;
  race_options.round_holds = [&] { return log.add_round(evaluator.conditions()); };
  (void)evaluator.conditions();
  const RaceResult raced = race(
      field.size(), sample, [](std::size_t a, std::size_t b) { return a < b; }, race_options);
  if (options.stop && options.stop()) {
    result.standing = Standing::stopped;
    return result;
  }
  const std::size_t best = raced.certified && raced.winner == 0 ? 0 : raced.leader;
  result.best = runtime::stored_config(evaluator.instance().spec(), field[best]);
  result.winner_ns = median(raced.samples_ns.front());
  result.best_ns = median(raced.samples_ns[best]);
  if (best != 0) {
    // The race may have dropped the winner after a few rounds: both once more, alternating, in fresh memory.
    evaluator.renew_operands();
    const auto [pair, undisturbed] = compare_watched(
        evaluator, log, [&] { return sample(0); }, [&] { return sample(best); });
    result.slower = pair.ratio;
    result.slower_95 = pair.ratio_95;
    result.winner_ns = median(pair.a_ns);
    result.best_ns = median(pair.b_ns);
    if (undisturbed && pair.ratio_95.low > 1 && pair.ratio > 1 + options.margin) {
      result.standing = Standing::beaten;
      result.reason =
          fmt::format("another config is {:.1f} % faster (95 %: {:.1f} to {:.1f})", 100 * (pair.ratio - 1),
                      100 * (pair.ratio_95.low - 1), 100 * (pair.ratio_95.high - 1));
    }
    if (!undisturbed) result.standing = Standing::disturbed;
  }
  if (raced.disturbed_rounds > 0 || raced.uneven_share > race_options.uneven_at_most)
    result.standing = Standing::disturbed;
  if (result.standing == Standing::disturbed) {
    result.reason = disturbance_text(log.figures());
    if (result.reason.empty()) result.reason = "blocks of the same config differ too much";
  }
  return result;
}

}  // namespace

const char* to_string(Standing standing) noexcept {
  switch (standing) {
    case Standing::holds:
      return "holds";
    case Standing::beaten:
      return "beaten";
    case Standing::fails:
      return "fails";
    case Standing::stale:
      return "stale";
    case Standing::disturbed:
      return "disturbed";
    case Standing::stopped:
      return "stopped";
  }
  return "";
}

std::vector<spec::Config> rivals_of(const spec::Instance& instance, const db::WinnerRecord& winner,
                                    const std::vector<db::StoredOutcome>& outcomes, std::size_t runners_up) {
  const spec::TemplateSpec& spec = instance.spec();
  const spec::Config winning = runtime::read_config(spec, winner.config);
  const auto serves = [&](const spec::Config& config) {
    return config != winning && !instance.excluded(config) &&
           instance.alignment_class(config) <= winner.alignment_bytes;
  };
  std::vector<std::pair<double, spec::Config>> found;
  for (const db::StoredOutcome& stored : outcomes) {
    const std::optional<Outcome> outcome = from_record(spec, stored.outcome);
    if (!outcome || outcome->status != OutcomeStatus::ok || !outcome->time_ns() || !serves(outcome->config))
      continue;
    found.emplace_back(*outcome->time_ns(), outcome->config);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (found.size() > runners_up) found.resize(runners_up);
  std::vector<spec::Config> rivals;
  for (auto& [time_ns, config] : found) rivals.push_back(std::move(config));
  const spec::Config& standard = spec.default_config;
  if (serves(standard) && std::find(rivals.begin(), rivals.end(), standard) == rivals.end())
    rivals.push_back(standard);
  return rivals;
}

Recheck recheck(Evaluator& evaluator, const db::WinnerRecord& winner, const std::vector<spec::Config>& rivals,
                const RecheckOptions& options) {
  std::vector<spec::Config> configs{runtime::read_config(evaluator.instance().spec(), winner.config)};
  configs.insert(configs.end(), rivals.begin(), rivals.end());
  std::string winner_fails;
  std::vector<spec::Config> field = still_ok(evaluator, configs, winner_fails);
  while (!field.empty()) {
    try {
      return timed(evaluator, field, options);
    } catch (const CandidateFailed& failure) {
      const Outcome& outcome = failure.outcome();
      if (outcome.config == field.front()) {
        winner_fails = fmt::format("{}: {}", to_string(outcome.status), outcome.reason);
        field.clear();
      } else if (std::erase(field, outcome.config) == 0) {
        throw;
      }
    }
  }
  Recheck result;
  result.standing = Standing::fails;
  result.reason = winner_fails;
  return result;
}

}  // namespace warptune::tuner
