// The text of bench/torch_contestant.py.
#pragma once

#include <string_view>

namespace warptune::tuner {

extern const std::string_view torch_contestant_source;

}  // namespace warptune::tuner
