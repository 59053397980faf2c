// T4 results as runs that a database takes. Pure functions, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <warptune/db/lifecycle.hpp>

#include "tuner/report/t4.hpp"

namespace warptune::tuner {

// Where the results came from.
struct T4Source {
  std::string name;     // of the file
  std::string hash;     // of its content: the same file is imported once
  std::string command;  // for people
};

// One imported run per problem, with the fastest config of each alignment class as an uncertified winner. `stated`:
// the problem of results that name none. Error bad_input: a result without a problem; no result at all.
std::vector<db::StoredRun> t4_runs(const std::vector<T4Result>& results,
                                   const std::optional<db::ProblemKey>& stated, const T4Source& source);

}  // namespace warptune::tuner
