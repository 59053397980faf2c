// Merging one file into another.
#include <map>
#include <utility>

#include "db/store_impl.hpp"

namespace warptune::db {
namespace {

using WinnerKey = std::pair<ProblemKey, int>;

std::map<WinnerKey, StoredWinner> by_key(const Store& store) {
  std::map<WinnerKey, StoredWinner> winners;
  store.visit_winners(std::nullopt, {}, [&](const StoredWinner& each) {
    winners.emplace(WinnerKey(each.problem, each.winner.alignment_bytes), each);
  });
  return winners;
}

// The first step of the order of winners that tells them apart.
std::string why_first(const StoredWinner& first, const StoredWinner& second) {
  if (first.origin != second.origin && first.origin == Origin::measured) return "measured here, not imported";
  if (first.winner.certified != second.winner.certified) return "certified";
  if (first.winner.complete != second.winner.complete) return "from a complete run";
  return first.at_unix_s != second.at_unix_s ? "newer" : "stored later";
}

}  // namespace

MergeReport Store::merge(const Store& from) {
  impl_->require_writable();
  MergeReport report;
  const auto mine = by_key(*this);
  const auto theirs = by_key(from);
  const std::int64_t before = outcome_total();
  from.visit_runs({}, RunParts::all, [&](const StoredRun& run) {
    if (run.info.origin == Origin::replayed) {
      ++report.runs_replayed;
      return;
    }
    report.count(add_run(run));
  });
  report.outcomes_added = outcome_total() - before;

  const auto known_times = [this] {
    return impl_->connection->query_integer("SELECT count(*) FROM reference_time");
  };
  const std::int64_t times_before = known_times();
  for (const ReferenceTime& time : from.reference_times()) add_reference_time(time);
  report.reference_times_added = known_times() - times_before;
  for (const Calibration& each : from.calibrations())
    report.calibrations_added += add_calibration(each) ? 1 : 0;

  for (const auto& [key, now] : by_key(*this)) {
    const auto left = mine.find(key), right = theirs.find(key);
    if (left == mine.end() || right == theirs.end() || right->second.origin == Origin::replayed) continue;
    const WinnerRecord &a = left->second.winner, &b = right->second.winner;
    if (a.config == b.config) continue;
    const bool other = now.winner.config == b.config;
    report.conflicts.push_back(
        {key.first, key.second, other ? b.config : a.config, other ? a.config : b.config, other,
         other ? why_first(right->second, left->second) : why_first(left->second, right->second)});
  }
  return report;
}

}  // namespace warptune::db
