// What times at neighbouring problems say about configs at dims that were not tuned. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>
#include <warptune/spec/instance.hpp>

namespace warptune::runtime {

// The configs timed at one neighbour that may run for an instance and its pointers.
struct TimedNearby {
  struct Timed {
    spec::Config config;
    double time_ns = 0;
  };
  std::map<std::string, std::int64_t> dims;  // free dims that they were timed at
  double unlikeness = 0;                     // of there and the instance (log_distance.hpp)
  std::vector<Timed> configs;                // fastest first

  std::optional<double> time_ns(const spec::Config& config) const;
  // How much longer than the fastest it takes there, as a share; nothing: it was not timed there.
  std::optional<double> loss(const spec::Config& config) const;
};

// Differences up to this share are no reason to prefer another config.
inline constexpr double worth_changing = 0.01;

// The neighbour, among those that a record's run timed, that is least unlike `here`, of those within an octave in each free dim
// where a config besides the default was timed that may run here. Nothing: there is none. `times`: of that run.
std::optional<TimedNearby> timed_nearby(const std::vector<db::NeighbourTime>& times,
                                        const spec::Instance& here, std::int64_t alignment_bytes);

}  // namespace warptune::runtime
