// Version of warptune, stored with every run.
#pragma once

namespace warptune {

inline constexpr const char* version = "0.1.0";

}  // namespace warptune
