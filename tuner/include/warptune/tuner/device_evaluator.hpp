// The evaluator that compiles, verifies and times on a device. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <warptune/runtime/device.hpp>
#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/runtime/sensors.hpp>
#include <warptune/tuner/ceilings.hpp>
#include <warptune/tuner/evaluator.hpp>
#include <warptune/tuner/host_operands.hpp>

namespace warptune::tuner {

struct DeviceEvaluatorOptions {
  std::string policy = "cold";                // or "hot"
  std::uint64_t seed = 1;                     // of the operands' values
  std::optional<Ceilings> ceilings;           // known already; otherwise measured once
  std::shared_ptr<runtime::Sensors> sensors;  // of the device; null: none
  std::optional<double> best_ns;              // of candidates measured before
  bool early_stop = true;                     // what is much slower than the best is not timed at length
  // To work on; it must outlive the evaluator. Nothing: one of its own. Evaluators of one process should share one: on an H200
  // the kernels of a graph follow each other 0.18 us later, in every stream, once a second stream has replayed graphs.
  std::optional<runtime::StreamHandle> stream;
  HostOperands operands;  // read once, while the evaluator is made
  // Called when a candidate goes on to another part of its evaluation: "load", "verify", "measure".
  std::function<void(const char* step)> on_step;
};

// How calls that are timed get their operands, for those who time a call elsewhere in the same way.
struct OperandFeed {
  std::size_t sets = 1;  // copies of the operands, taken in turn
  bool revisit = true;   // false: all copies fit in the cache, so a timed span touches each once at most
  std::size_t scrub_bytes = 0;  // read before each span, to drive operands out of the cache
  bool rehearsed = false;       // each span is preceded by the same, untimed
  double fixed_cost_ns = 0;     // of a span, taken off it
};

class DeviceEvaluator : public Evaluator {
 public:
  // Puts one call on `stream`. `buffers`: one pointer per buffer of the template, null for scratch.
  using Call =
      std::function<void(std::span<const runtime::DevicePointer> buffers, runtime::StreamHandle stream)>;

  // A block of a call that is no config, such as a library's, over the same operands and in the same way as
  // time_block(). `name` tells calls apart: the first block of a name captures its call. Errors: those of
  // `call`; cuda.
  virtual double time_call_block(const std::string& name, const Call& call) = 0;
  virtual OperandFeed operand_feed() const = 0;
  virtual const Ceilings& ceilings() const = 0;
};

// Makes the device's context current on the calling thread. Errors: bad_input (policy, operands), compile (the reference kernel),
// out_of_memory, cuda, unsupported (NVRTC too old for the device).
std::unique_ptr<DeviceEvaluator> make_device_evaluator(std::shared_ptr<runtime::Device> device,
                                                       std::shared_ptr<runtime::KernelBuilder> builder,
                                                       const spec::Instance& instance,
                                                       const DeviceEvaluatorOptions& options);

// The figures of measure_calibration(), see docs/measuring.md. Errors: cuda, out_of_memory.
std::map<std::string, double> calibrate_device(runtime::Device& device, runtime::KernelBuilder& builder);

}  // namespace warptune::tuner
