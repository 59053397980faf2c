// The helper kernels' source, embedded at build time from device_kernels.cu and device_layout.hpp. Constants.
#pragma once

#include <string_view>

namespace warptune::tuner {

extern const std::string_view helper_kernels_source;
extern const std::string_view helper_layout_source;

}  // namespace warptune::tuner
