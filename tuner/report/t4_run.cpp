#include "tuner/report/t4_run.hpp"

#include <algorithm>
#include <map>

#include <warptune/base/error.hpp>

namespace warptune::tuner {
namespace {

// A document names no default, so winners have none.
std::vector<db::WinnerRecord> fastest(const std::vector<db::OutcomeRecord>& outcomes) {
  std::map<int, const db::OutcomeRecord*> best;  // by the alignment that the config needs
  for (const db::OutcomeRecord& outcome : outcomes) {
    if (outcome.status != "ok") continue;
    const db::OutcomeRecord*& known = best[outcome.alignment_bytes];
    if (known == nullptr || *outcome.time_ns < *known->time_ns) known = &outcome;
  }
  std::vector<db::WinnerRecord> winners;
  for (const auto& [alignment, outcome] : best) {
    // A class may use what needs less alignment.
    if (!winners.empty() && winners.back().time_ns <= *outcome->time_ns) continue;
    db::WinnerRecord winner;
    winner.alignment_bytes = alignment;
    winner.config = outcome->config;
    winner.time_ns = *outcome->time_ns;
    winner.samples = static_cast<std::int64_t>(outcome->blocks_ns.size());
    winner.complete = true;
    winners.push_back(std::move(winner));
  }
  return winners;
}

}  // namespace

std::vector<db::StoredRun> t4_runs(const std::vector<T4Result>& results,
                                   const std::optional<db::ProblemKey>& stated, const T4Source& source) {
  if (results.empty())
    throw Error(ErrorKind::bad_input, "'" + source.name + "' holds no results", "nothing was imported");
  std::map<db::ProblemKey, db::StoredRun> runs;
  for (const T4Result& result : results) {
    const std::optional<db::ProblemKey>& problem = stated ? stated : result.problem;
    if (!problem)
      throw Error(ErrorKind::bad_input, "'" + source.name + "' does not say what was tuned",
                  "name it: warptune import FILE KERNEL --types T=TYPE --dims n=N --device recorded:FILE");
    runs[*problem].outcomes.push_back(result.outcome);
  }
  std::vector<db::StoredRun> list;
  for (auto& [problem, run] : runs) {
    run.problem = problem;
    run.info.uid = "t4-" + source.hash + "-" + std::to_string(list.size());
    run.info.origin = db::Origin::imported;
    run.info.strategy = "T4 " + source.name;
    run.info.command = source.command;
    std::int64_t first = 0, last = 0;
    for (const db::OutcomeRecord& outcome : run.outcomes) {
      if (outcome.at_unix_ms <= 0) continue;
      first = first == 0 ? outcome.at_unix_ms : std::min(first, outcome.at_unix_ms);
      last = std::max(last, outcome.at_unix_ms);
    }
    run.info.started_unix_s = first / 1000;
    run.ended_unix_s = last / 1000;
    run.end.complete = true;
    run.end.space_size = static_cast<std::int64_t>(run.outcomes.size());
    run.winners = fastest(run.outcomes);
    list.push_back(std::move(run));
  }
  return list;
}

}  // namespace warptune::tuner
