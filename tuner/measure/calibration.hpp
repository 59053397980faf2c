// What a device's clock and memory can do: the figures that times are judged by. One thread at a time.
#pragma once

#include <map>
#include <string>

#include <warptune/runtime/device.hpp>

#include "tuner/verify/helper_kernels.hpp"

namespace warptune::tuner {

// Highest rate at which a plain kernel of 16-byte loads reads memory far larger than the L2 cache, in bytes per second.
// Takes about 20 ms and at most 2 GiB. Errors: out_of_memory, cuda.
double measure_read_ceiling(runtime::Device& device, const HelperKernels& helpers);

// event_tick_ns (smallest step seen between event times), empty_event_pair_ns, empty_kernel_cadence_ns (per node of a graph of
// 256), read_ceiling_bytes_per_s. Errors: out_of_memory, cuda.
std::map<std::string, double> measure_calibration(runtime::Device& device, const HelperKernels& helpers);

}  // namespace warptune::tuner
