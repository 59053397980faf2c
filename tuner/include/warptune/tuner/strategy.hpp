// Search strategies: ask for candidates, tell what became of them. One thread at a time. Reproducible from the seed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/spec/space.hpp>
#include <warptune/tuner/outcome.hpp>

namespace warptune::tuner {

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Up to `count` configs that are valid and were neither proposed nor told before; empty: the space is exhausted.
  virtual std::vector<spec::Config> ask(std::size_t count) = 0;
  // A failure of any kind is information, never a number.
  virtual void tell(const Outcome& outcome) = 0;
};

struct StrategyInfo {
  std::string_view name;
  std::string_view summary;
  // `space` must outlive the strategy.
  std::unique_ptr<Strategy> (*make)(const spec::Space& space, std::uint64_t seed);
};

// The explicit list of strategies.
const std::vector<StrategyInfo>& strategies();
// Error not_found lists what exists.
const StrategyInfo& find_strategy(std::string_view name);

}  // namespace warptune::tuner
