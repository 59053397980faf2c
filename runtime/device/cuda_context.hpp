// A CUDA context, owned (the primary one, retained) or borrowed, and the guards that make calls from any thread safe.
#pragma once

#include <memory>

#include "runtime/device/driver_api.hpp"

namespace warptune::runtime {

// Immutable after construction. Shared by everything made in the context, so that it outlives them.
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

 private:
  CudaContext(const DriverApi& api, CUcontext handle, CUdevice device, bool owned)
      : api_(api), handle_(handle), device_(device), owned_(owned) {}

  const DriverApi& api_;
  CUcontext handle_;
  CUdevice device_;
  bool owned_;
};

// Makes a context current for a scope and then restores what was. Also lets this thread make calls such as cuMemAlloc while
// another stream is being captured, which would otherwise invalidate that capture. Never throws; a call inside the scope
// reports what is wrong.
class ContextScope {
 public:
  explicit ContextScope(const CudaContext& context) noexcept;
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const CudaContext& context_;
  CUcontext previous_ = nullptr;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace warptune::runtime
