// What a run's times at neighbouring problems say about its winner. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>

namespace warptune::tuner {

// One neighbouring problem. Its times were taken in the same rounds, so they compare.
struct Nearby {
  std::map<std::string, std::int64_t> dims;
  std::int64_t configs = 0;  // that were timed there
  db::NamedValues fastest;
  double fastest_ns = 0;
  std::optional<double> winner_ns, default_ns;  // nothing: not timed there
};

// In the order in which the problems first come up.
std::vector<Nearby> nearby_of(const std::vector<db::NeighbourTime>& times, const db::WinnerRecord& winner);

}  // namespace warptune::tuner
