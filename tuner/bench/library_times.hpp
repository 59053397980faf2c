// What a comparison says about libraries, as records for the database. Pure function; thread-safe.
#pragma once

#include <vector>

#include <warptune/db/records.hpp>

#include "tuner/bench/problem_bench.hpp"

namespace warptune::tuner {

// A record for each library that was timed, and beside it the tuned config of the same rounds where it took part. `key`: of
// the problem that was timed. The records' time is that of storing.
std::vector<db::ReferenceTime> library_times(const spec::TemplateSpec& spec, const db::ProblemKey& key,
                                             const db::Toolchain& toolchain,
                                             const std::vector<Standing>& standings);

}  // namespace warptune::tuner
