// An evolutionary search. One thread at a time.
#pragma once

#include <memory>

#include <warptune/tuner/strategy.hpp>

namespace warptune::tuner {

// A steady-state genetic algorithm: parents by tournament, uniform crossover, mutation of one or two values; a child
// takes the place of the worst (Syswerda, "A study of reproduction in generational and steady-state genetic
// algorithms", 1991).
std::unique_ptr<Strategy> make_evolution(const SearchSpace& space, const StrategyOptions& options);

}  // namespace warptune::tuner
