// The one place where a problem becomes a database key and a config becomes a stored row, and back. The tuner
// writes and the runtime reads through these functions, so that the two keys cannot differ. Pure functions,
// thread-safe.
#pragma once

#include <string>

#include <warptune/db/records.hpp>
#include <warptune/spec/instance.hpp>

namespace warptune::runtime {

// The part of a device's traits that tells cards of different speed apart; never its UUID or ordinal.
db::DeviceKey device_key(const spec::DeviceTraits& traits);

// Key of the records of an instance. `policy`: what was timed, "cold" or "hot".
db::ProblemKey problem_key(const spec::Instance& instance, const std::string& policy);

// The instance that a key describes, on `device`. Error bad_input where the template cannot have such a
// problem.
spec::Instance instance_of(const db::ProblemKey& key, const spec::TemplatePtr& spec,
                           const spec::DeviceTraits& device);

db::NamedValues stored_config(const spec::TemplateSpec& spec, const spec::Config& config);
// Error bad_input: a tunable missing, unknown, or holding a value outside its list.
spec::Config read_config(const spec::TemplateSpec& spec, const db::NamedValues& stored);

}  // namespace warptune::runtime
