#include "tuner/cli/winner_table.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/spec/catalog.hpp>

#include "tuner/report/config_text.hpp"

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
          std::string(db::to_text(stored.origin)),
          std::max<std::int64_t>(0, now_unix_s - stored.at_unix_s),
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

bool differ(const std::string& then, const std::string& now) {
  return !then.empty() && !now.empty() && then != now;
}

}  // namespace

const std::string& Freshness::template_hash(const std::string& kernel) const {
  const auto known = hashes_.find(kernel);
  if (known != hashes_.end()) return known->second;
  std::string hash;
  try {
    hash = spec::find_template(kernel)->hash;
  } catch (const Error&) {
    // A user's template that is not on the search path now.
  }
  return hashes_.emplace(kernel, std::move(hash)).first->second;
}

std::string Freshness::of(const db::StoredWinner& winner) const {
  std::vector<std::string> differences;
  const std::string& hash = template_hash(winner.problem.kernel);
  if (hash.empty()) differences.emplace_back("template not found here");
  if (!hash.empty() && hash != winner.problem.template_hash) differences.emplace_back("template changed");
  const db::Toolchain& then = winner.toolchain;
  if (then.driver_version != 0 && present_.driver_version != 0 &&
      (then.driver_version != present_.driver_version || differ(then.driver_name, present_.driver_name)))
    differences.emplace_back("other driver");
  if (differ(then.nvrtc_version, present_.nvrtc_version) || differ(then.headers_hash, present_.headers_hash))
    differences.emplace_back("other NVRTC");
  if (!differences.empty()) return join(differences);
  return present_.driver_version != 0 ? "fresh" : "unchecked";
}

Table winner_table(std::vector<db::StoredWinner> winners, const Freshness& freshness,
                   std::int64_t now_unix_s) {
  std::stable_sort(winners.begin(), winners.end(),
                   [](const db::StoredWinner& a, const db::StoredWinner& b) { return order(a) < order(b); });
  Table table{"winners", columns(), {}};
  for (const db::StoredWinner& stored : winners)
    table.rows.push_back(row(stored, freshness.of(stored), now_unix_s));
  return table;
}

std::vector<db::StoredWinner> widest_only(const std::vector<db::StoredWinner>& winners) {
  std::vector<db::StoredWinner> widest;
  for (const db::StoredWinner& each : winners) {
    const auto same = std::find_if(widest.begin(), widest.end(), [&](const db::StoredWinner& other) {
      return other.problem == each.problem;
    });
    if (same == widest.end()) {
      widest.push_back(each);
    } else if (each.winner.alignment_bytes > same->winner.alignment_bytes) {
      *same = each;
    }
  }
  return widest;
}

std::int64_t unix_now_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace warptune::tuner
