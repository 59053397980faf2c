// All configs of an instance that meet its constraints, without listing them unless asked. Thread-safe
// (const).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <warptune/spec/instance.hpp>

namespace warptune::spec {

class ConfigSampler;

// How many configs a reason takes out of the space; a config counts for the first reason that pruning meets.
struct ExclusionCount {
  Exclusion reason;
  std::int64_t configs = 0;
};

struct SpaceReport {
  std::int64_t cartesian = 0;  // before constraints
  std::int64_t valid = 0;
  std::vector<ExclusionCount> exclusions;  // most first; cartesian = valid + their sum, unless it saturates

  // One line: "720 of 3456 configs are valid; `PACK * sizeof(T) <= 16` excludes 864 (one load ...), ...".
  std::string text() const;
};

class Space {
 public:
  explicit Space(Instance instance);

  const Instance& instance() const { return instance_; }
  // Product of the tunables' value counts, before constraints (saturates at 2^63-1).
  std::int64_t cartesian_size() const;

  // Visits every valid config in lexical order of the tunables; constraints prune as soon as their variables
  // are bound. Return false from the visitor to stop.
  void for_each(const std::function<bool(const Config&)>& visit) const;
  std::vector<Config> list() const;  // Precondition: it fits in memory
  std::int64_t count() const;
  // The same where what sampling keeps gives it, which takes up to a tenth of a second the first time; then list() walks nothing.
  // Saturates at 2^63-1. Nothing: only count() can tell.
  std::optional<std::int64_t> quick_count() const;
  // What excludes how much; visits the whole space.
  SpaceReport report() const;

  bool contains(const Config& config) const;
  // A valid config; all are equally likely, but for tunables whose common constraints are too many to list and leave less than
  // one combination in some hundred. Nothing when none was found (the space may be empty). Reproducible from the generator's state.
  std::optional<Config> sample(std::mt19937_64& random) const;
  // Valid configs that differ in exactly one tunable; with `adjacent_only`, by one step in its values as
  // written.
  std::vector<Config> neighbours(const Config& config, bool adjacent_only) const;

 private:
  struct Lazy;
  const ConfigSampler& sampler() const;

  Instance instance_;
  std::shared_ptr<Lazy> lazy_;
};

}  // namespace warptune::spec
