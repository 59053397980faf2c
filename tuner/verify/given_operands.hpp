// The operands that the caller brought, on the device: copied from there wherever they are needed. One thread at a time.
#pragma once

#include <cstddef>
#include <map>

#include <warptune/runtime/device.hpp>
#include <warptune/tuner/host_operands.hpp>

namespace warptune::tuner {

class GivenOperands {
 public:
  // Reads `operands` now and never again. Errors: those of require_fitting(); out_of_memory, cuda.
  GivenOperands(runtime::Device& device, const spec::Instance& instance, const HostOperands& operands);

  bool any() const { return !buffers_.empty(); }
  // Copies the values of `buffer` to `target`, asynchronously; false where the caller brought none for it.
  bool copy_to(runtime::DevicePointer target, std::size_t buffer, runtime::StreamHandle stream) const;

 private:
  runtime::Device& device_;
  std::map<std::size_t, runtime::DeviceBuffer> buffers_;  // by place in the manifest
};

}  // namespace warptune::tuner
