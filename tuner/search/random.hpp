// Valid points in random order, none twice, without listing large spaces. One thread at a time.
#pragma once

#include <memory>

#include <warptune/tuner/strategy.hpp>

namespace warptune::tuner {

std::unique_ptr<Strategy> make_random(const SearchSpace& space, const StrategyOptions& options);

}  // namespace warptune::tuner
