// Every valid config once, in lexical order of the tunables. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>

#include <warptune/tuner/strategy.hpp>

namespace warptune::tuner {

std::unique_ptr<Strategy> make_exhaustive(const spec::Space& space, std::uint64_t seed);

}  // namespace warptune::tuner
