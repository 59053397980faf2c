#include "tuner/report/comparison.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/measure/statistics.hpp"

namespace warptune::tuner {
namespace {

bool is_ok(const db::OutcomeRecord& outcome) { return outcome.status == "ok" && outcome.time_ns; }

// Logarithms of the block times; of the median alone where no blocks were kept.
std::vector<double> log_times(const db::OutcomeRecord& outcome) {
  std::vector<double> logs;
  for (const float block : outcome.blocks_ns)
    if (block > 0 && std::isfinite(block)) logs.push_back(std::log(static_cast<double>(block)));
  if (logs.empty()) logs.push_back(std::log(*outcome.time_ns));
  return logs;
}

const db::OutcomeRecord* find_ok(const Tuning& tuning, const db::NamedValues& config) {
  const auto found = tuning.outcomes.find(config);
  return found != tuning.outcomes.end() && is_ok(found->second) ? &found->second : nullptr;
}

// The outcome of a winner; its own figures where the outcome is not stored.
db::OutcomeRecord outcome_of(const Tuning& tuning, const db::WinnerRecord& winner) {
  if (const db::OutcomeRecord* found = find_ok(tuning, winner.config)) return *found;
  db::OutcomeRecord outcome;
  outcome.status = "ok";
  outcome.time_ns = winner.time_ns;
  return outcome;
}

std::vector<WinnerChange> compare_winners(const Tuning& a, const Tuning& b) {
  std::map<int, WinnerChange> classes;
  for (const db::WinnerRecord& winner : a.winners) classes[winner.alignment_bytes].a = winner;
  for (const db::WinnerRecord& winner : b.winners) classes[winner.alignment_bytes].b = winner;
  std::vector<WinnerChange> changes;
  for (auto& [alignment, change] : classes) {
    change.alignment_bytes = alignment;
    if (change.a && change.b) {
      change.same_config = change.a->config == change.b->config;
      change.change = change_of(outcome_of(a, *change.a), outcome_of(b, *change.b), classes.size());
      const db::OutcomeRecord *old_now = find_ok(b, change.a->config), *now = find_ok(b, change.b->config);
      if (!change.same_config && old_now != nullptr && now != nullptr)
        change.old_over_new = *old_now->time_ns / *now->time_ns;
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

double weight(const ConfigChange& change) {
  if (change.status_a != change.status_b) return INFINITY;
  return std::abs(std::log1p(change.change.relative));
}

bool same_problem(const db::ProblemKey& a, const db::ProblemKey& b, bool with_device) {
  return a.kernel == b.kernel && a.types == b.types && a.key_dims == b.key_dims &&
         a.free_dims == b.free_dims && a.attributes == b.attributes && a.numerics == b.numerics &&
         a.policy == b.policy && (!with_device || a.device == b.device);
}

}  // namespace

Change change_of(const db::OutcomeRecord& a, const db::OutcomeRecord& b, std::size_t comparisons) {
  const std::vector<double> logs_a = log_times(a), logs_b = log_times(b);
  const MeanSd left = mean_sd(logs_a), right = mean_sd(logs_b);
  const double difference = right.mean - left.mean;
  Change change;
  change.relative = std::expm1(difference);
  if (logs_a.size() < 2 || logs_b.size() < 2) return change;
  const auto n_a = static_cast<double>(logs_a.size()), n_b = static_cast<double>(logs_b.size());
  const double var_a = left.sd * left.sd / n_a, var_b = right.sd * right.sd / n_b;
  const double variance = var_a + var_b;
  double half = 0;
  if (variance > 0) {
    // Degrees of freedom after Welch and Satterthwaite.
    const double degrees = variance * variance / (var_a * var_a / (n_a - 1) + var_b * var_b / (n_b - 1));
    const double tail = 0.025 / static_cast<double>(std::max<std::size_t>(1, comparisons));
    half = student_t_upper(tail, static_cast<std::size_t>(std::max(1.0, std::floor(degrees + 1e-6)))) *
           std::sqrt(variance);
  }
  change.low = std::expm1(difference - half);
  change.high = std::expm1(difference + half);
  change.significant = std::abs(difference) > half && std::abs(difference) > std::log1p(repeatability);
  return change;
}

Comparison compare(const Tuning& a, const Tuning& b) {
  Comparison result;
  result.a = a.problem;
  result.b = b.problem;
  result.toolchain_a = a.toolchain;
  result.toolchain_b = b.toolchain;
  result.winners = compare_winners(a, b);
  for (const auto& [config, outcome] : a.outcomes) {
    const auto other = b.outcomes.find(config);
    if (other == b.outcomes.end()) {
      ++result.only_a;
    } else if (is_ok(outcome) && is_ok(other->second)) {
      ++result.common;
    }
  }
  std::vector<double> relatives;
  for (const auto& [config, right] : b.outcomes) {
    const auto found = a.outcomes.find(config);
    if (found == a.outcomes.end()) {
      ++result.only_b;
      continue;
    }
    const db::OutcomeRecord& left = found->second;
    ConfigChange each{config, left.status, right.status, left.time_ns, right.time_ns, {}};
    if (is_ok(left) && is_ok(right)) {
      each.change = change_of(left, right, static_cast<std::size_t>(result.common));
      relatives.push_back(each.change.relative);
      if (!each.change.significant) continue;
      ++(each.change.relative < 0 ? result.faster : result.slower);
    } else if (left.status == right.status) {
      continue;
    } else {
      ++result.status_changed;
    }
    result.changes.push_back(std::move(each));
  }
  if (!relatives.empty()) result.median_relative = median(relatives);
  std::stable_sort(result.changes.begin(), result.changes.end(),
                   [](const ConfigChange& x, const ConfigChange& y) { return weight(x) > weight(y); });
  return result;
}

Pairing pair_up(const std::vector<Tuning>& a, const std::vector<Tuning>& b) {
  Pairing pairing;
  const bool shared_device = std::any_of(a.begin(), a.end(), [&](const Tuning& left) {
    return std::any_of(b.begin(), b.end(),
                       [&](const Tuning& right) { return left.problem.device == right.problem.device; });
  });
  pairing.across_devices = !shared_device && !a.empty() && !b.empty();
  std::vector<bool> used(b.size());
  for (const Tuning& left : a) {
    // The same template is preferred where a file holds several.
    std::optional<std::size_t> match;
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (used[i] || !same_problem(left.problem, b[i].problem, !pairing.across_devices)) continue;
      if (!match || b[i].problem.template_hash == left.problem.template_hash) match = i;
    }
    if (!match) {
      pairing.only_a.push_back(&left);
      continue;
    }
    used[*match] = true;
    pairing.pairs.emplace_back(&left, &b[*match]);
  }
  for (std::size_t i = 0; i < b.size(); ++i)
    if (!used[i]) pairing.only_b.push_back(&b[i]);
  return pairing;
}

}  // namespace warptune::tuner
