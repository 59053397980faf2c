#include "kernel_templates/spec/limits.hpp"

#include <fmt/format.h>

#include <limits>

namespace warptune::spec {

std::string SizeLimits::text() const {
  std::string result = fmt::format("the device allows 1 to {} x {} x {}", each[0], each[1], each[2]);
  if (product < std::numeric_limits<std::int64_t>::max()) result += fmt::format(", {} in all", product);
  return result;
}

SizeLimits block_limits(const DeviceTraits& device) {
  return {{device.max_threads_per_block, device.max_threads_per_block, 64}, device.max_threads_per_block};
}

SizeLimits grid_limits(const DeviceTraits& device) {
  return {{device.max_grid_x, device.max_grid_y, device.max_grid_z},
          std::numeric_limits<std::int64_t>::max()};
}

bool sizes_fit(const std::vector<Expression>& sizes, const SizeLimits& limits, const Scope& scope) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Value size = sizes[i].try_evaluate(scope);
    if (size.kind() != Value::Kind::integer || size.as_integer() < 1 || size.as_integer() > limits.each[i])
      return false;
    if (__builtin_mul_overflow(product, size.as_integer(), &product)) return false;
  }
  return product <= limits.product;
}

}  // namespace warptune::spec
