#include "tuner/cli/winner_table.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include <warptune/base/text.hpp>

#include "tuner/report/config_text.hpp"
#include "tuner/report/units.hpp"

namespace warptune::tuner {
namespace {

auto order(const db::StoredWinner& stored) {
  const db::ProblemKey& key = stored.problem;
  return std::tie(key.kernel, key.types, key.numerics, key.policy, key.device, key.attributes, key.key_dims,
                  key.free_dims, stored.winner.alignment_bytes);
}

std::optional<double> bytes_per_s(const db::WinnerRecord& winner) {
  if (!winner.bytes) return std::nullopt;
  return *winner.bytes / winner.time_ns * 1e9;
}

std::vector<Column> columns() {
  const auto machine = [](const char* name) { return Column{name, name, Show::text, Place::machines}; };
  return {
      {"kernel", "kernel"},
      {"types", "types"},
      {"dims", "dims"},
      {"numerics", "class"},
      machine("policy"),
      machine("attributes"),
      {"alignment_bytes", "align", Show::number},
      {"time_ns", "time", Show::time_ns},
      {"gain", "gain", Show::factor},
      {"bytes_per_s", "rate", Show::bytes_per_s},
      {"share_of_limit", "of limit", Show::share},
      {"certified", "cert"},
      machine("certified_by"),
      machine("origin"),
      {"age_s", "age", Show::age_s},
      {"config", "config", Show::text, Place::below},
      {"remark", "remark", Show::text, Place::below},
      machine("state"),
      machine("default_config"),
      machine("default_time_ns"),
      machine("interval_low_ns"),
      machine("interval_high_ns"),
      machine("samples"),
      machine("tied"),
      machine("verified_ragged"),
      machine("complete"),
      machine("bytes"),
      machine("flops"),
      machine("limit_bytes_per_s"),
      machine("device"),
      machine("compute_capability"),
      machine("sm_count"),
      machine("l2_bytes"),
      machine("memory_gib"),
      machine("driver_version"),
      machine("driver_name"),
      machine("nvrtc_version"),
      machine("warptune_version"),
      machine("template_hash"),
      machine("strategy"),
      machine("run"),
      machine("tuned_unix_s"),
  };
}

// What people must not overlook.
Cell remark(const db::StoredWinner& stored, const std::string& state) {
  std::vector<std::string> remarks;
  if (stored.origin == db::Origin::replayed)
    remarks.emplace_back("replayed from a recording: not used by the runtime");
  if (stored.origin == db::Origin::imported)
    remarks.emplace_back("imported from another tuner: not used by the runtime");
  if (state != "fresh" && state != "unchecked") remarks.push_back("stale: " + state);
  if (stored.problem.policy != "cold") remarks.push_back("timed " + stored.problem.policy);
  for (const auto& [name, word] : stored.problem.attributes)
    if (word != "any") remarks.push_back(name + "=" + word);
  if (!stored.winner.complete) remarks.emplace_back("from an incomplete run");
  if (remarks.empty()) return {};
  return "(" + join(remarks, "; ") + ")";
}

std::vector<Cell> row(const db::StoredWinner& stored, const std::string& state, std::int64_t now_unix_s) {
  const db::ProblemKey& key = stored.problem;
  const db::WinnerRecord& winner = stored.winner;
  const std::optional<double> rate = bytes_per_s(winner);
  Cell gain, share;
  if (winner.default_time_ns) gain = *winner.default_time_ns / winner.time_ns;
  if (rate && winner.limit_bytes_per_s) share = *rate / *winner.limit_bytes_per_s;
  return {key.kernel,
          types_text(key.types),
          named(all_dims(key)),
          key.numerics,
          key.policy,
          named(key.attributes),
          std::int64_t{winner.alignment_bytes},
          winner.time_ns,
          gain,
          optional_cell(rate),
          share,
          winner.certified,
          winner.certified_by,
          std::string(db::to_text(stored.origin)),
          age_s(stored.at_unix_s, now_unix_s),
          winner.config,
          remark(stored, state),
          state,
          winner.default_config,
          optional_cell(winner.default_time_ns),
          optional_cell(winner.interval_low_ns),
          optional_cell(winner.interval_high_ns),
          winner.samples,
          winner.tied,
          winner.verified_ragged,
          winner.complete,
          optional_cell(winner.bytes),
          optional_cell(winner.flops),
          optional_cell(winner.limit_bytes_per_s),
          key.device.model,
          std::int64_t{key.device.compute_capability},
          std::int64_t{key.device.sm_count},
          key.device.l2_bytes,
          std::int64_t{key.device.memory_gib},
          std::int64_t{stored.toolchain.driver_version},
          stored.toolchain.driver_name,
          stored.toolchain.nvrtc_version,
          stored.toolchain.warptune_version,
          key.template_hash,
          stored.strategy,
          stored.run,
          stored.at_unix_s};
}

}  // namespace

Table winner_table(const std::vector<db::StoredWinner>& winners, const Freshness& freshness,
                   std::int64_t now_unix_s) {
  std::vector<const db::StoredWinner*> sorted;
  for (const db::StoredWinner& stored : winners) sorted.push_back(&stored);
  std::stable_sort(sorted.begin(), sorted.end(), [](const db::StoredWinner* a, const db::StoredWinner* b) {
    return order(*a) < order(*b);
  });
  Table table{"winners", columns(), {}};
  for (const db::StoredWinner* stored : sorted)
    table.rows.push_back(row(*stored, freshness.of(stored->problem, stored->toolchain), now_unix_s));
  return table;
}

std::vector<db::StoredWinner> widest_only(std::vector<db::StoredWinner> winners) {
  std::vector<db::StoredWinner> widest;
  for (db::StoredWinner& each : winners) {
    if (!widest.empty() && widest.back().problem == each.problem) {
      widest.back() = std::move(each);
    } else {
      widest.push_back(std::move(each));
    }
  }
  return widest;
}

void sort_rows(Table& table, const std::string& column, bool descending) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& each) { return each.name == column; });
  const auto index = static_cast<std::size_t>(found - table.columns.begin());
  const auto number = [&](const std::vector<Cell>& row) -> std::optional<double> {
    if (const auto* real = std::get_if<double>(&row[index])) return *real;
    if (const auto* integer = std::get_if<std::int64_t>(&row[index])) return static_cast<double>(*integer);
    return std::nullopt;
  };
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const auto& a, const auto& b) {
    const std::optional<double> left = number(a), right = number(b);
    if (!left || !right) return left.has_value() && !right;
    return descending ? *left > *right : *left < *right;
  });
}

std::int64_t unix_now_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace warptune::tuner
