// What a device's clock and memory can do: the figures that times are judged by. One thread at a time.
#pragma once

#include <map>
#include <string>

#include <warptune/runtime/device.hpp>
#include <warptune/runtime/sensors.hpp>
#include <warptune/tuner/ceilings.hpp>

#include "tuner/verify/helper_kernels.hpp"

namespace warptune::tuner {

// Highest rates at which plain kernels of 16-byte accesses read, write and copy memory far larger than the L2 cache. Takes less
// than 0.1 s and at most 4 GiB. Errors: out_of_memory, cuda.
Ceilings measure_ceilings(runtime::Device& device, const HelperKernels& helpers,
                          runtime::StreamHandle stream);

// event_tick_ns (smallest step seen between event times), empty_event_pair_ns, empty_kernel_cadence_ns (per node of a graph of
// 256), replay_cost_ns (of a graph, beside its nodes), l2_bytes, read_, write_ and copy_ceiling_bytes_per_s, the same rates over 4,
// 16 and 64 times the L2 cache (read_4x_l2_bytes_per_s, ...), the SM clock before anything was done (sm_mhz_idle, where the driver
// tells; `sensors` may be null) and at work (sm_mhz_loaded). Errors: out_of_memory, cuda.
std::map<std::string, double> measure_calibration(runtime::Device& device, const HelperKernels& helpers,
                                                  runtime::StreamHandle stream, runtime::Sensors* sensors);

}  // namespace warptune::tuner
