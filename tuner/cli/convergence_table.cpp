#include "tuner/cli/convergence_table.hpp"

#include "tuner/cli/problem_options.hpp"
#include "tuner/loop/convergence.hpp"
#include "tuner/report/config_text.hpp"

namespace warptune::tuner {
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
              {"chance", "next faster", Show::share},
              {"gain", "by", Show::share},
              {"any_chance", "any faster", Show::share},
              {"any_gain", "by", Show::share},
              {"at_most", "at most", Show::share},
              {"unknown", "unknown", Show::number}},
             {}};
  for (const db::ProblemKey& key : problems) {
    const std::vector<db::StoredOutcome> outcomes = store.outcomes(key);
    const Convergence found = convergence(outcomes);
    for (const Improvement& each : found.improvements)
      steps.rows.push_back({types_text(key.types), named(all_dims(key)), each.trial, each.time_ns,
                            each.time_ns / found.improvements.back().time_ns, each.at_unix_ms, each.config});
    std::vector<db::OutcomeRecord> records;
    for (const db::StoredOutcome& stored : outcomes) records.push_back(stored.outcome);
    const std::optional<Outlook> expected = outlook(spec, key, records);
    const std::int64_t last = found.improvements.empty() ? 0 : found.improvements.back().trial;
    left.rows.push_back(
        {types_text(key.types), named(all_dims(key)), found.trials, found.failed, found.trials - last,
         expected ? Cell(expected->chance) : Cell(), expected ? Cell(expected->gain) : Cell(),
         expected ? Cell(expected->any_chance) : Cell(), expected ? Cell(expected->any_gain) : Cell(),
         expected ? Cell(expected->at_most) : Cell(),
         expected ? Cell(static_cast<std::int64_t>(expected->configs)) : Cell()});
  }
  document.tables.push_back(std::move(steps));
  document.tables.push_back(std::move(left));
  document.notes.emplace_back(
      "\"next faster, by\": what a model of all outcomes gives the most promising config that was not tried: "
      "its "
      "chance to beat the best, and the share of the best time that trying it is expected to save. \"any "
      "faster, by\": the "
      "same for trying all unknown configs (at most some thousand of them), as if their predictions were "
      "independent. "
      "\"at most\": the share that the fastest unknown config saves was no larger in nine of ten searches of "
      "recorded "
      "spaces; docs/search.md says where it was.");
}

}  // namespace warptune::tuner
