// What buffers are filled with: names of fills and element types as codes for the helper kernels. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <warptune/spec/instance.hpp>

#include "tuner/verify/device_layout.hpp"

namespace warptune::tuner {

struct BufferFill {
  device::Element element = device::Element::f32;
  device::Fill fill = device::Fill::normal;
  std::uint64_t bound = 0;  // index: values lie in [0, bound)
  std::uint64_t seed = 0;
};

// Code of a CUDA element type. Error unsupported for a type that the helper kernels cannot read.
device::Element element_code(std::string_view cuda_type);
// Error bad_input listing the fills that exist.
device::Fill parse_fill(std::string_view name);

// How buffer `buffer` is filled: as the manifest says, but floating-point ones with `floating_fill` where it is given.
// Each buffer draws from its own sequence. Errors: bad_input, unsupported.
BufferFill buffer_fill(const spec::Instance& instance, std::size_t buffer,
                       std::optional<std::string> floating_fill, std::uint64_t seed);

}  // namespace warptune::tuner
