// A CUDA context, owned (the primary one, retained) or borrowed, and the guards that make calls from any thread safe.
#pragma once

#include <memory>
#include <new>

#include "runtime/device/driver_api.hpp"

namespace warptune::runtime {

// Immutable after construction. Shared by everything made in the context, so that it outlives them. A borrowed context may be
// destroyed by its owner at any time: what was made in it is gone then, and the rest of its addresses and handles may be given
// to others, so nothing of it is touched any more.
class CudaContext {
 public:
  // Retains the primary context of device `ordinal`. Errors: no_device (ordinal out of range, says how many there are), cuda.
  static std::shared_ptr<const CudaContext> retain_primary(const DriverApi& api, int ordinal);
  // The context current on this thread. Error no_device when there is none.
  static std::shared_ptr<const CudaContext> borrow_current(const DriverApi& api);

  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  ~CudaContext();

  const DriverApi& api() const { return api_; }
  CUcontext handle() const { return handle_; }
  CUdevice device() const { return device_; }
  bool owned() const { return owned_; }
  // Whether a borrowed context was not destroyed, as far as can be told: false too once the driver gives nothing but errors.
  bool is_alive() const noexcept;

 private:
  CudaContext(const DriverApi& api, CUcontext handle, unsigned long long id, CUdevice device, bool owned)
      : api_(api), handle_(handle), id_(id), device_(device), owned_(owned) {}

  const DriverApi& api_;
  CUcontext handle_;
  unsigned long long id_;  // of a borrowed one: handles are given again, ids are not
  CUdevice device_;
  bool owned_;
};

// Makes a context current for a scope and then restores what was. Also lets this thread make calls such as cuMemAlloc while
// another stream is being captured, which would otherwise invalidate that capture.
class ContextScope {
 public:
  // Error cuda: the context was destroyed.
  explicit ContextScope(const CudaContext& context);
  // For destructors: where entered() says no, the context is gone, and with it all that was made in it.
  ContextScope(const CudaContext& context, std::nothrow_t) noexcept;
  bool entered() const noexcept { return entered_; }
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const CudaContext& context_;
  CUcontext previous_ = nullptr;
  bool entered_ = false;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace warptune::runtime
