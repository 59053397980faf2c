// What `bench` measured, as a table. Pure function; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>

#include "tuner/bench/problem_bench.hpp"
#include "tuner/report/document.hpp"

namespace warptune::tuner {

struct BenchedProblem {
  db::ProblemKey key;
  db::Toolchain toolchain;
  std::optional<double> bytes;  // per call
  std::optional<double> limit_bytes_per_s;
  std::vector<Standing> standings;
};

// One row per contestant of each problem, and a column of ratios per library in `libraries`.
Table bench_table(const spec::TemplateSpec& spec, const std::vector<BenchedProblem>& problems,
                  const std::vector<std::string>& libraries);

}  // namespace warptune::tuner
