// Random valid configs of a space. Private to Space. Immutable; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <warptune/spec/instance.hpp>

#include "kernel_templates/spec/analysis.hpp"

namespace warptune::spec {

// Tunables that no check brings together are drawn apart. What is valid of each such group is listed once, where walking it with
// pruning is cheap, so that a draw is even and costs next to nothing however few are valid (the idea of the "chain of trees":
// Rasch, Schulze, Steuwer and Gorlatch, "Efficient auto-tuning of parallel programs with interdependent tuning parameters via
// Auto-Tuning Framework (ATF)", 2021). Other groups are drawn by rejection, and where that finds nothing by a search with
// backtracking.
class ConfigSampler {
 public:
  // Takes up to a tenth of a second.
  explicit ConfigSampler(Instance instance);

  // Nothing where none was found.
  std::optional<Config> sample(std::mt19937_64& random) const;
  // How many configs are valid (saturates at 2^63-1); nothing where some group was not listed.
  std::optional<std::int64_t> count() const;
  // All of them, in lexical order of the tunables. Preconditions: count() knows how many, and they fit in memory.
  std::vector<Config> list() const;

 private:
  struct Group {
    std::vector<Level> levels;
    bool listed = false;
    std::vector<std::uint16_t>
        choices;  // of a listed group: valid combinations of value indices, one after another

    std::size_t count() const { return choices.size() / levels.size(); }
  };
  class Lister;
  class Draw;

  Instance instance_;
  std::vector<Group> groups_;
};

}  // namespace warptune::spec
