// Which CUDA contexts a runtime serves: the one that is current on the calling thread. The driver stands behind it, or a single
// device, or, in tests, stubs. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include <warptune/runtime/device.hpp>

namespace warptune::runtime {

enum class ContextId : std::uint64_t {};  // never given to two contexts of a process
inline constexpr ContextId no_context{0};

class Contexts {
 public:
  virtual ~Contexts() = default;
  // Of the context current on this thread; no_context where there is none, or where it was destroyed.
  virtual ContextId current() const noexcept = 0;
  // The context current on this thread, borrowed. Nothing is created or made current. Error no_device where there is none.
  virtual std::shared_ptr<Device> borrow() = 0;
};

// The driver's. Error no_device: there is no driver.
std::shared_ptr<Contexts> cuda_contexts();

// Always the one of `device`, whatever is current: for a program that uses one device on all threads.
std::shared_ptr<Contexts> only_context(std::shared_ptr<Device> device);

}  // namespace warptune::runtime
