// Search strategies: ask for candidates, tell what became of them. One thread at a time. Reproducible from the seed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/tuner/search_space.hpp>

namespace warptune::tuner {

// What became of a candidate.
struct Observation {
  Point point;
  std::optional<double>
      time;                // > 0, the same unit in all observations; nothing: it failed, for whatever reason
  double uncertainty = 0;  // standard error of `time`, relative to it
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Up to `count` points that are valid and were neither proposed nor told before; empty: the space is
  // exhausted. Several may be asked for before any is told.
  virtual std::vector<Point> ask(std::size_t count) = 0;
  // A failure of any kind is information, never a number. Points that were not proposed may be told too.
  virtual void tell(const Observation& observation) = 0;
};

// Parts of the model-based strategies that can be left out, to see what each is worth.
struct ModelParts {
  bool features = true;      // SearchSpace::features() as inputs of the model
  bool compiled = true;      // among them those that compiling brings to light
  bool failures = true;      // a model of which configs fail
  bool divisibility = true;  // how often two divides a value, beside its rank and size
  bool kernels = true;  // turns between a smooth model and one with steps; otherwise the smooth one alone
  bool local = true;    // candidates near the best points, beside those at random
  bool widths = true;   // the default config with wider loads among the first guesses of a tune
};

// Error not_found lists the parts.
void leave_out(ModelParts& parts, std::string_view name);

struct StrategyOptions {
  std::uint64_t seed = 1;
  std::vector<Point> guesses;  // believed to be good, best first: winners of similar problems
  ModelParts parts;
};

struct StrategyInfo {
  std::string_view name;
  std::string_view summary;
  bool adaptive = false;  // what is told changes what is proposed: ask for a few at a time
  // `space` must outlive the strategy.
  std::unique_ptr<Strategy> (*make)(const SearchSpace& space, const StrategyOptions& options);
};

// The explicit list of strategies.
const std::vector<StrategyInfo>& strategies();
// Error not_found lists what exists.
const StrategyInfo& find_strategy(std::string_view name);

}  // namespace warptune::tuner
