#include "runtime/device/cuda_context.hpp"

#include <fmt/format.h>
#include <warptune/base/error.hpp>

namespace warptune::runtime {

std::shared_ptr<const CudaContext> CudaContext::retain_primary(const DriverApi& api, int ordinal) {
  initialize_driver(api);
  int count = 0;
  api.check(api.device_get_count(&count), "cuDeviceGetCount");
  if (ordinal < 0 || ordinal >= count) {
    throw Error(
        ErrorKind::no_device,
        fmt::format("no device cuda:{}: this process sees {} GPU{}", ordinal, count, count == 1 ? "" : "s"),
        count > 0 ? fmt::format("use cuda:0{}", count > 1 ? fmt::format(" to cuda:{}", count - 1) : "")
                  : "check nvidia-smi and CUDA_VISIBLE_DEVICES");
  }
  CUdevice device = 0;
  api.check(api.device_get(&device, ordinal), "cuDeviceGet");
  CUcontext handle = nullptr;
  api.check(api.primary_context_retain(&handle, device), "cuDevicePrimaryCtxRetain");
  // From here the destructor releases it.
  std::shared_ptr<const CudaContext> context(new CudaContext(api, handle, 0, device, true));
  api.check(api.context_set_current(handle), "cuCtxSetCurrent");
  return context;
}

std::shared_ptr<const CudaContext> CudaContext::borrow_current(const DriverApi& api) {
  CUcontext handle = nullptr;
  const CUresult result = api.context_get_current(&handle);
  if (result == CUDA_ERROR_NOT_INITIALIZED || (result == CUDA_SUCCESS && handle == nullptr)) {
    throw Error(ErrorKind::no_device, "no CUDA context is current on this thread",
                "make one current first, e.g. cudaSetDevice(0); cudaFree(nullptr)");
  }
  api.check(result, "cuCtxGetCurrent");
  CUdevice device = 0;
  api.check(api.context_get_device(&device), "cuCtxGetDevice");
  unsigned long long id = 0;
  api.check(api.context_get_id(handle, &id), "cuCtxGetId");
  return std::shared_ptr<const CudaContext>(new CudaContext(api, handle, id, device, false));
}

CudaContext::~CudaContext() {
  // The result is ignored: after a sticky error, or at process exit, there is nothing left to release.
  if (owned_) api_.primary_context_release(device_);
}

bool CudaContext::is_alive() const noexcept {
  if (owned_) return true;
  unsigned long long id = 0;
  return api_.context_get_id(handle_, &id) == CUDA_SUCCESS && id == id_;
}

ContextScope::ContextScope(const CudaContext& context, std::nothrow_t) noexcept : context_(context) {
  if (!context_.is_alive()) return;
  const DriverApi& api = context_.api();
  api.context_get_current(&previous_);
  if (previous_ != context_.handle() && api.context_set_current(context_.handle()) != CUDA_SUCCESS) return;
  api.exchange_capture_mode(&mode_);
  entered_ = true;
}

ContextScope::ContextScope(const CudaContext& context) : ContextScope(context, std::nothrow) {
  if (!entered_)
    context_.api().fail(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the CUDA context that was borrowed is gone");
}

ContextScope::~ContextScope() {
  if (!entered_) return;
  context_.api().exchange_capture_mode(&mode_);
  if (previous_ != context_.handle()) context_.api().context_set_current(previous_);
}

}  // namespace warptune::runtime
