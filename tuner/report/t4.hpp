// The auto-tuning community's T4 results format, version 1.0.0 (https://github.com/odgaard/TuningSchema, branch T4;
// Kernel Tuner writes it): one document per search, one result per config. Times are in ms. Pure functions,
// thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>

#include "tuner/report/json_value.hpp"

namespace warptune::tuner {

inline constexpr const char* t4_version = "1.0.0";

// One result. T4 has no member for the problem that was tuned; it is added as "problem", which readers of T4 pass
// over. Status, registers and such are further measurements.
JsonValue t4_result(const db::ProblemKey& problem, const db::OutcomeRecord& outcome);

struct T4Result {
  std::optional<db::ProblemKey> problem;  // where a document of ours says it
  db::OutcomeRecord outcome;
};

// All results of a document, of ours or of another tuner. Whole numbers and words stay as they are, true and false
// become 1 and 0, other numbers words. Error bad_input naming the place.
std::vector<T4Result> read_t4(const JsonReader& document);

}  // namespace warptune::tuner
