// How typed calls (dot, embedding) reach a runtime's kernels: each keeps the kernels that it has used in slots of the context
// that is current, so that a later call finds its own without a lock.
#pragma once

#include <atomic>

#include <warptune/runtime/runtime.hpp>

#include "runtime/dispatch/kernel_state.hpp"
#include "runtime/dispatch/runtime_state.hpp"

namespace warptune::runtime {

class TypedKernels {
 public:
  // That is current on this thread. Errors: no_device.
  static ContextState& context(const Runtime& runtime) { return runtime.state_->here(); }

  // The kernel in `slot`; `get` gives it where the slot is empty. Thread-safe.
  template <typename Get>
  static KernelState& find(std::atomic<KernelState*>& slot, const Get& get) {
    KernelState* kernel = slot.load(std::memory_order_acquire);
    if (kernel == nullptr) {
      kernel = &get();
      slot.store(kernel, std::memory_order_release);
    }
    return *kernel;
  }
};

}  // namespace warptune::runtime
