// Device on the CUDA driver API. The functions in <warptune/runtime/device.hpp> open it on the system's driver.
#pragma once

#include <memory>

#include <warptune/runtime/device.hpp>

#include "runtime/device/cuda_context.hpp"

namespace warptune::runtime {

// Errors: cuda.
std::unique_ptr<Device> make_cuda_device(std::shared_ptr<const CudaContext> context);

}  // namespace warptune::runtime
