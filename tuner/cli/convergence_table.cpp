#include "tuner/cli/convergence_table.hpp"

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "tuner/cli/problem_options.hpp"
#include "tuner/evaluate/recorded_evaluator.hpp"
#include "tuner/loop/convergence.hpp"
#include "tuner/report/config_text.hpp"

namespace warptune::tuner {
namespace {

std::optional<Outlook> outlook_of(const spec::TemplatePtr& spec, const db::ProblemKey& key,
                                  const std::vector<db::StoredOutcome>& outcomes) {
  try {
    return outlook(runtime::instance_of(key, spec, traits_of(key.device)), outcomes);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    return std::nullopt;  // the template cannot have this problem any more
  }
}

}  // namespace

void add_convergence(const db::Store& store, const spec::TemplatePtr& spec,
                     const std::vector<db::ProblemKey>& problems, Document& document) {
  Table steps{"convergence",
              {{"types", "types"},
               {"dims", "dims"},
               {"trial", "trial", Show::number},
               {"time_ns", "time", Show::time_ns},
               {"over_best", "over best", Show::factor},
               {"at_unix_ms", "at", Show::number, Place::machines},
               {"config", "config", Show::text, Place::below}},
              {}};
  Table left{"outlook",
             {{"types", "types"},
              {"dims", "dims"},
              {"trials", "trials", Show::number},
              {"failed", "failed", Show::number},
              {"idle_trials", "since best", Show::number},
              {"chance", "next is faster", Show::share},
              {"gain", "by", Show::share}},
             {}};
  for (const db::ProblemKey& key : problems) {
    const std::vector<db::StoredOutcome> outcomes = store.outcomes(key);
    const Convergence found = convergence(outcomes);
    for (const Improvement& each : found.improvements)
      steps.rows.push_back({types_text(key.types), named(all_dims(key)), each.trial, each.time_ns,
                            each.time_ns / found.improvements.back().time_ns, each.at_unix_ms, each.config});
    const std::optional<Outlook> expected = outlook_of(spec, key, outcomes);
    const std::int64_t last = found.improvements.empty() ? 0 : found.improvements.back().trial;
    left.rows.push_back({types_text(key.types), named(all_dims(key)), found.trials, found.failed,
                         found.trials - last, expected ? Cell(expected->chance) : Cell(),
                         expected ? Cell(expected->gain) : Cell()});
  }
  document.tables.push_back(std::move(steps));
  document.tables.push_back(std::move(left));
  document.notes.emplace_back(
      "\"next is faster, by\": what a model of all outcomes gives the most promising config that was not "
      "tried: its "
      "chance to beat the best, and the gain to be expected of it. A model can be wrong where nothing was "
      "tried.");
}

}  // namespace warptune::tuner
