// Options about searching that several commands take. Pure functions, thread-safe.
#pragma once

#include <string>
#include <vector>

#include <warptune/tuner/strategy.hpp>

namespace warptune::tuner {

// "a, b,c" to its words.
std::vector<std::string> words_of(const std::string& list);
// All parts but those of the list. Error not_found.
ModelParts parts_without(const std::string& list);

}  // namespace warptune::tuner
