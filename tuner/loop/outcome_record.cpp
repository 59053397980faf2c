#include "tuner/loop/outcome_record.hpp"

#include <chrono>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>

namespace warptune::tuner {

db::OutcomeRecord to_record(const spec::TemplateSpec& spec, const Outcome& outcome) {
  db::OutcomeRecord record;
  record.config = runtime::stored_config(spec, outcome.config);
  record.status = to_string(outcome.status);
  record.reason = outcome.reason;
  record.time_ns = outcome.time_ns();
  for (const double block : outcome.blocks_ns) record.blocks_ns.push_back(static_cast<float>(block));
  record.max_error = outcome.max_error;
  record.verified_ragged = outcome.verified_ragged;
  record.registers = outcome.traits.registers;
  record.local_bytes = outcome.traits.local_bytes;
  record.shared_bytes = outcome.traits.static_shared_bytes;
  record.alignment_bytes = outcome.alignment_bytes;
  record.at_unix_ms = outcome.tried_unix_ms != 0 ? outcome.tried_unix_ms
                                                 : std::chrono::duration_cast<std::chrono::milliseconds>(
                                                       std::chrono::system_clock::now().time_since_epoch())
                                                       .count();
  return record;
}

std::optional<Outcome> from_record(const spec::TemplateSpec& spec, const db::OutcomeRecord& record) {
  try {
    Outcome outcome;
    outcome.config = runtime::read_config(spec, record.config);
    outcome.status = parse_outcome_status(record.status);
    outcome.reason = record.reason;
    outcome.blocks_ns.assign(record.blocks_ns.begin(), record.blocks_ns.end());
    if (outcome.status == OutcomeStatus::ok && outcome.blocks_ns.empty()) {
      if (!record.time_ns) return std::nullopt;
      outcome.blocks_ns.push_back(*record.time_ns);
    }
    outcome.max_error = record.max_error;
    outcome.verified_ragged = record.verified_ragged;
    outcome.traits.registers = record.registers;
    outcome.traits.local_bytes = record.local_bytes;
    outcome.traits.static_shared_bytes = record.shared_bytes;
    outcome.alignment_bytes = record.alignment_bytes;
    outcome.tried_unix_ms = record.at_unix_ms;
    return outcome;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool may_run(const spec::Instance& instance, const db::NamedValues& config) {
  try {
    return !instance.excluded(runtime::read_config(instance.spec(), config));
  } catch (const Error&) {
    return false;
  }
}

}  // namespace warptune::tuner
