// The evaluator that compiles, verifies and times on a device. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <warptune/runtime/device.hpp>
#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/tuner/evaluator.hpp>

namespace warptune::tuner {

struct DeviceEvaluatorOptions {
  std::string policy = "cold";                     // or "hot"
  std::uint64_t seed = 1;                          // of the operands' values
  std::optional<double> read_ceiling_bytes_per_s;  // known already; otherwise measured once
};

// Makes the device's context current on the calling thread. Errors: bad_input (policy), compile (the reference kernel),
// out_of_memory, cuda, unsupported (NVRTC too old for the device).
std::unique_ptr<Evaluator> make_device_evaluator(std::shared_ptr<runtime::Device> device,
                                                 std::shared_ptr<runtime::KernelBuilder> builder,
                                                 const spec::Instance& instance,
                                                 const DeviceEvaluatorOptions& options);

// event_tick_ns, empty_event_pair_ns, empty_kernel_cadence_ns, read_ceiling_bytes_per_s. Errors: cuda, out_of_memory.
std::map<std::string, double> calibrate_device(runtime::Device& device, runtime::KernelBuilder& builder);

}  // namespace warptune::tuner
