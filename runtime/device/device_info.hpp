// Identity and limits of a CUDA device, read from the driver.
#pragma once

#include <string>
#include <string_view>

#include <warptune/runtime/device.hpp>

#include "runtime/device/cuda_context.hpp"

namespace warptune::runtime {

// Precondition: the context is current on this thread. Error cuda.
DeviceInfo read_device_info(const CudaContext& context);

// A model name as it is stored: surrounding and repeated blanks removed, e.g. "NVIDIA H200".
std::string normalised_model(std::string_view name);

}  // namespace warptune::runtime
