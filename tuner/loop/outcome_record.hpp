// Outcomes as they are stored, and back. Pure functions, thread-safe.
#pragma once

#include <optional>

#include <warptune/db/records.hpp>
#include <warptune/spec/instance.hpp>
#include <warptune/tuner/outcome.hpp>

namespace warptune::tuner {

// `at_unix_ms` of the record is when the candidate was tried, so that rows added by the race keep their place; now for one
// that was not stored before.
db::OutcomeRecord to_record(const spec::TemplateSpec& spec, const Outcome& outcome);

// Nothing when the record's config or status is not one of today's template: it then counts as not stored.
std::optional<Outcome> from_record(const spec::TemplateSpec& spec, const db::OutcomeRecord& record);

// Whether a stored config is one of today's template, and may run for the instance's problem.
bool may_run(const spec::Instance& instance, const db::NamedValues& config);

}  // namespace warptune::tuner
