// Every valid point once, in lexical order of the tunables. One thread at a time.
#pragma once

#include <memory>

#include <warptune/tuner/strategy.hpp>

namespace warptune::tuner {

std::unique_ptr<Strategy> make_exhaustive(const SearchSpace& space, const StrategyOptions& options);

}  // namespace warptune::tuner
