#include "tuner/loop/convergence.hpp"

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "tuner/evaluate/recorded_evaluator.hpp"
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

std::optional<Outlook> outlook(const spec::Instance& instance, std::span<const db::OutcomeRecord> outcomes) {
  TemplateSpace space(instance);
  ModelSearch model(space, {});
  for (const db::OutcomeRecord& record : outcomes) {
    const std::optional<Outcome> outcome = from_record(instance.spec(), record);
    if (!outcome || !space.configs().contains(outcome->config)) continue;
    space.know(space.point(outcome->config), outcome->traits);
    model.tell({space.point(outcome->config),
                outcome->status == OutcomeStatus::ok ? outcome->time_ns() : std::nullopt, 0});
  }
  return model.outlook();
}

std::optional<Outlook> outlook(const spec::TemplatePtr& spec, const db::ProblemKey& key,
                               std::span<const db::OutcomeRecord> outcomes) {
  if (spec == nullptr) return std::nullopt;
  try {
    return outlook(runtime::instance_of(key, spec, traits_of(key.device)), outcomes);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    return std::nullopt;
  }
}

}  // namespace warptune::tuner
