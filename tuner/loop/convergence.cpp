#include "tuner/loop/convergence.hpp"

#include "tuner/loop/outcome_record.hpp"
#include "tuner/search/template_space.hpp"

namespace warptune::tuner {

Convergence convergence(const std::vector<db::StoredOutcome>& outcomes) {
  Convergence result;
  for (const db::StoredOutcome& stored : outcomes) {
    const db::OutcomeRecord& outcome = stored.outcome;
    ++result.trials;
    if (outcome.status != to_string(OutcomeStatus::ok) || !outcome.time_ns) {
      ++result.failed;
      continue;
    }
    if (!result.improvements.empty() && *outcome.time_ns >= result.improvements.back().time_ns) continue;
    result.improvements.push_back({result.trials, outcome.at_unix_ms, *outcome.time_ns, outcome.config});
  }
  return result;
}

std::optional<Outlook> outlook(const spec::Instance& instance,
                               const std::vector<db::StoredOutcome>& outcomes) {
  const TemplateSpace space(instance);
  ModelSearch model(space, {});
  for (const db::StoredOutcome& stored : outcomes) {
    const std::optional<Outcome> outcome = from_record(instance.spec(), stored.outcome);
    if (!outcome || !space.configs().contains(outcome->config)) continue;
    model.tell({space.point(outcome->config),
                outcome->status == OutcomeStatus::ok ? outcome->time_ns() : std::nullopt, 0});
  }
  return model.outlook();
}

}  // namespace warptune::tuner
