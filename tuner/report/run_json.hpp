// A database as JSON that can be read back: runs, library times and calibrations, each as one object. Nothing is
// lost but row numbers. Pure functions, thread-safe. The format is described in docs/database.md.
#pragma once

#include <warptune/db/lifecycle.hpp>

#include "tuner/report/json_value.hpp"

namespace warptune::tuner {

// Member "format" of the document; a reader refuses others.
inline constexpr const char* exchange_format = "warptune 1";

JsonValue json_of(const db::ProblemKey& problem);
JsonValue json_of(const db::Toolchain& toolchain);
JsonValue json_of(const db::StoredRun& run);
JsonValue json_of(const db::ReferenceTime& time);
JsonValue json_of(const db::Calibration& calibration);

// Errors bad_input naming the place.
db::DeviceKey read_device(const JsonReader& json);
db::ProblemKey read_problem(const JsonReader& json);
db::StoredRun read_run(const JsonReader& json);
db::ReferenceTime read_reference_time(const JsonReader& json);
db::Calibration read_calibration(const JsonReader& json);

// A whole number or a word per name.
db::NamedValues read_named_values(const JsonReader& json);

}  // namespace warptune::tuner
