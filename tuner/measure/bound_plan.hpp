// A launch plan whose kernels are loaded: ready to be put on a stream over any set of buffers.
// Immutable after construction; enqueue() follows the device's thread rules.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <warptune/runtime/device.hpp>
#include <warptune/spec/instance.hpp>

namespace warptune::tuner {

// The compiled kernels of a config by entry.
struct KernelSet {
  spec::TraitsLookup traits;
  std::function<runtime::FunctionHandle(const std::string& entry)> function;  // loads when first asked
};

class BoundPlan {
 public:
  // Plans `config` on `instance`, finds its functions and allows the shared memory they need.
  // Errors: those of Instance::plan; cuda when the device refuses.
  BoundPlan(runtime::Device& device, const spec::Instance& instance, const spec::Config& config,
            const KernelSet& kernels);
  // One kernel alone, such as a check plan's reference. `layouts` may be empty where nothing is memset.
  BoundPlan(spec::KernelStep step, runtime::FunctionHandle function);

  // `buffers`: one pointer per buffer of the template (and, for check plans, the reference and the scale).
  // Error cuda when a launch is refused. Asynchronous.
  void enqueue(runtime::Device& device, std::span<const runtime::DevicePointer> buffers,
               runtime::StreamHandle stream) const;

  const std::vector<spec::BufferLayout>& layouts() const { return layouts_; }
  const spec::LaunchPlan& plan() const { return plan_; }

 private:
  spec::LaunchPlan plan_;
  std::vector<spec::BufferLayout> layouts_;
  std::vector<runtime::FunctionHandle> functions_;  // one per step; unused for memsets
};

}  // namespace warptune::tuner
