// What the report's page shows, taken from a database. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <warptune/db/store.hpp>

#include "tuner/report/json_value.hpp"
#include "tuner/search/outlook.hpp"

namespace warptune::tuner {

struct ReportScope {
  std::function<bool(const db::ProblemKey&)> wanted;
  // How far a result can be trusted here: "fresh", "template changed: dot.cu", ...
  std::function<std::string(const db::ProblemKey&, const db::Toolchain&)> state;
  // What may be left to find, and nothing where that is not known; null: nobody is asked.
  std::function<std::optional<Outlook>(const db::ProblemKey&, std::span<const db::OutcomeRecord>)> outlook;
  std::int64_t now_unix_s = 0;
};

struct ReportData {
  JsonValue json;  // as data.js reads it
  std::int64_t kernels = 0, problems = 0, configs = 0;
};

// Errors: database; unsupported, see ConfigPacker::finish().
ReportData report_data(const db::Store& store, const ReportScope& scope);

}  // namespace warptune::tuner
