#include "tuner/cli/bench_table.hpp"

#include <warptune/runtime/problem_key.hpp>

#include "tuner/report/config_text.hpp"

namespace warptune::tuner {
namespace {

std::vector<Column> columns(const std::vector<std::string>& libraries) {
  std::vector<Column> list = {
      {"types", "types"},
      {"dims", "dims"},
      {"attributes", "attributes", Show::text, Place::machines},
      {"policy", "policy"},
      {"contestant", "contestant"},
      {"role", "role", Show::text, Place::machines},
      {"time_ns", "time", Show::time_ns},
      {"interval_low_ns", "low", Show::time_ns, Place::machines},
      {"interval_high_ns", "high", Show::time_ns, Place::machines},
      {"bytes_per_s", "rate", Show::bytes_per_s},
      {"share_of_limit", "of limit", Show::share},
  };
  for (const std::string& library : libraries)
    list.push_back({"speedup_over_" + library, "x " + library, Show::factor});
  list.push_back({"config", "config", Show::text, Place::machines});
  list.push_back({"version", "version", Show::text, Place::machines});
  list.push_back({"why", "why not", Show::text, Place::below});
  return list;
}

std::vector<Cell> row(const spec::TemplateSpec& spec, const BenchedProblem& problem, const Standing& standing,
                      const std::vector<std::string>& libraries) {
  Cell rate, share, low, high;
  if (standing.time_ns) {
    low = standing.interval_low_ns;
    high = standing.interval_high_ns;
    if (problem.bytes) rate = *problem.bytes / *standing.time_ns * 1e9;
    if (problem.bytes && problem.limit_bytes_per_s)
      share = *problem.bytes / *standing.time_ns * 1e9 / *problem.limit_bytes_per_s;
  }
  std::vector<Cell> cells = {types_text(problem.key.types),
                             named(all_dims(problem.key)),
                             named(problem.key.attributes),
                             problem.key.policy,
                             standing.name,
                             std::string(to_string(standing.role)),
                             optional_cell(standing.time_ns),
                             low,
                             high,
                             rate,
                             share};
  for (const std::string& library : libraries) {
    const auto found = standing.speedup.find(library);
    cells.emplace_back();
    if (found != standing.speedup.end()) cells.back() = found->second;
  }
  Cell config, version, why;
  if (standing.config) config = runtime::stored_config(spec, *standing.config);
  if (!standing.version.empty()) version = standing.version;
  if (!standing.why.empty()) why = standing.why;
  cells.insert(cells.end(), {config, version, why});
  return cells;
}

}  // namespace

Table bench_table(const spec::TemplateSpec& spec, const std::vector<BenchedProblem>& problems,
                  const std::vector<std::string>& libraries) {
  Table table{"standings", columns(libraries), {}};
  for (const BenchedProblem& problem : problems)
    for (const Standing& standing : problem.standings)
      table.rows.push_back(row(spec, problem, standing, libraries));
  return table;
}

}  // namespace warptune::tuner
