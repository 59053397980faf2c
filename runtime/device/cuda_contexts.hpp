// Contexts of a CUDA driver.
#pragma once

#include <memory>

#include <warptune/runtime/contexts.hpp>

#include "runtime/device/driver_api.hpp"

namespace warptune::runtime {

// `api` must outlive what this gives.
std::shared_ptr<Contexts> make_cuda_contexts(const DriverApi& api);

}  // namespace warptune::runtime
