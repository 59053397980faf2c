// Iterated local search. One thread at a time.
#pragma once

#include <memory>

#include <warptune/tuner/strategy.hpp>

namespace warptune::tuner {

// Descends from a point to the first better neighbour: one step in one parameter first, then any other value of
// one. Where none is better it starts anew from the best point, a few values changed, or, as often, from anywhere
// (Lourenço, Martin and Stützle, "Iterated local search", 2003).
std::unique_ptr<Strategy> make_local_search(const SearchSpace& space, const StrategyOptions& options);

}  // namespace warptune::tuner
