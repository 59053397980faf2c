// Valid configs in random order, none twice, without listing large spaces. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>

#include <warptune/tuner/strategy.hpp>

namespace warptune::tuner {

std::unique_ptr<Strategy> make_random(const spec::Space& space, std::uint64_t seed);

}  // namespace warptune::tuner
