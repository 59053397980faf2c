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
  bool outside = false;  // index: one value in eight lies outside [0, bound)
};

// What verification changes of the manifest's fills. Timing changes nothing.
struct FillChange {
  std::optional<std::string> floating;  // fill of floating-point buffers
  bool outside = false;                 // of buffers filled by index
  bool given = false;                   // what the caller brought; else as the manifest says
  friend bool operator==(const FillChange&, const FillChange&) = default;
};

// Code of a CUDA element type. Error unsupported for a type whose values the helper kernels cannot read.
device::Element element_code(std::string_view cuda_type);
// The same where only an element's bits matter: an integer of its size. Error unsupported for an unknown type.
device::Element bits_code(std::string_view cuda_type);
// Error bad_input listing the fills that exist.
device::Fill parse_fill(std::string_view name);

// How buffer `buffer` is filled: as the manifest says, save for `change`. Ids are drawn as the problem's attribute says,
// `any` uniformly. Each buffer draws from its own sequence. Errors: bad_input, unsupported.
BufferFill buffer_fill(const spec::Instance& instance, std::size_t buffer, const FillChange& change,
                       std::uint64_t seed);

}  // namespace warptune::tuner
