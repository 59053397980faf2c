// Which tunables matter: shares of the variance of times. Pure functions, thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>

namespace warptune::tuner {

struct TimedConfig {
  const db::NamedValues* config = nullptr;  // never null
  double time_ns = 0;                       // > 0
};

// Share of the variance of log time that each tunable explains alone: epsilon squared of a one-way analysis
// (Kelley 1935), that is (SS_between - df_between * MS_within) / SS_total, at least 0. Unlike the plain ratio it does
// not grow with the number of values. What is missing to 1 comes from tunables acting together and from noise.
// Empty with fewer than 8 configs, or when all take equally long; a tunable that never varies has the share 0.
std::map<std::string, double> variance_shares(const std::vector<TimedConfig>& configs);

}  // namespace warptune::tuner
