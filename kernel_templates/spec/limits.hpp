// What a device allows for the sizes of a grid or block. Private to Instance and its search order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <warptune/spec/problem.hpp>
#include <warptune/spec/template_spec.hpp>

namespace warptune::spec {

struct SizeLimits {
  std::array<std::int64_t, 3> each;  // x, y, z: 1 to this
  std::int64_t product;              // of all three
  std::string text() const;          // "the device allows ..."
};

// CUDA allows 1024 x 1024 x 64 threads on every device.
SizeLimits block_limits(const DeviceTraits& device);
SizeLimits grid_limits(const DeviceTraits& device);

// Whether the sizes can be evaluated and are within the limits. Allocates nothing.
bool sizes_fit(const std::vector<Expression>& sizes, const SizeLimits& limits, const Scope& scope);

}  // namespace warptune::spec
