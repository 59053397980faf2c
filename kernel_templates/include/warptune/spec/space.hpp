// All configs of an instance that meet its constraints, without listing them unless asked. Thread-safe (const).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include <warptune/spec/instance.hpp>

namespace warptune::spec {

class Space {
 public:
  explicit Space(Instance instance);

  const Instance& instance() const { return instance_; }
  // Product of the tunables' value counts, before constraints (saturates at 2^63-1).
  std::int64_t cartesian_size() const;

  // Visits every valid config in lexical order of the tunables; constraints prune as soon as their variables are bound.
  // Return false from the visitor to stop.
  void for_each(const std::function<bool(const Config&)>& visit) const;
  std::vector<Config> list() const;  // Precondition: it fits in memory
  std::int64_t count() const;

  bool contains(const Config& config) const { return !instance_.excluded(config); }
  // A valid config, uniform over the cartesian product restricted to valid ones up to the pruning's bias;
  // nothing when none was found (the space may be empty).
  std::optional<Config> sample(std::mt19937_64& random) const;
  // Valid configs that differ in exactly one tunable; with `adjacent_only`, by one step in its ordered values.
  std::vector<Config> neighbours(const Config& config, bool adjacent_only) const;

 private:
  Instance instance_;
};

}  // namespace warptune::spec
