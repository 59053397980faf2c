#include "runtime/device/driver_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <warptune/base/error.hpp>

#include <cstdlib>
#include <mutex>
#include <string>

namespace warptune::runtime {
namespace {

constexpr int required_version = 12000;
constexpr const char* replay_hint = "or replay recorded measurements with --device recorded:FILE";

[[noreturn]] void fail_stub() {
  throw Error(
      ErrorKind::no_device, "the libcuda.so.1 found is the CUDA toolkit's stub library, not a driver",
      fmt::format("remove the toolkit's stubs folder from LD_LIBRARY_PATH and install the NVIDIA driver, {}",
                  replay_hint),
      CUDA_ERROR_STUB_LIBRARY);
}

[[noreturn]] void fail_too_old(const std::string& found) {
  throw Error(
      ErrorKind::unsupported,
      fmt::format("the NVIDIA driver is too old: it {}, and warptune needs CUDA 12.0 or newer", found),
      "update the NVIDIA driver to 525.60 or newer");
}

using GetProcAddress = CUresult (*)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);

class Resolver {
 public:
  explicit Resolver(GetProcAddress get) : get_(get) {}

  template <class Function>
  void required(Function& slot, const char* name) const {
    find(slot, name, required_version);
    if (slot == nullptr) fail_too_old(fmt::format("has no {}", name));
  }

  template <class Function>
  void find(Function& slot, const char* name, int version) const {
    void* address = nullptr;
    const CUresult result = get_(name, &address, version, CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
    if (result == CUDA_ERROR_STUB_LIBRARY) fail_stub();
    slot = result == CUDA_SUCCESS ? reinterpret_cast<Function>(address) : nullptr;
  }

 private:
  GetProcAddress get_;
};

ErrorKind kind_of(CUresult result) {
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return ErrorKind::out_of_memory;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return ErrorKind::no_device;
    default:
      return result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
                     result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD
                 ? ErrorKind::capture
                 : ErrorKind::cuda;
  }
}

const char* hint_for(CUresult result) {
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return "use smaller dims, or free memory held by other processes on this GPU";
    case CUDA_ERROR_INVALID_CONTEXT:
      return "make a context current on this thread first";
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
      return "compile for this device's own architecture";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "the kernel module and the driver library differ: reboot, or reload the module";
    default:
      return "";
  }
}

}  // namespace

void DriverApi::fail(CUresult result, const char* call) const {
  const char* name = nullptr;
  if (get_error_name == nullptr || get_error_name(result, &name) != CUDA_SUCCESS || name == nullptr) {
    name = "unknown error";
  }
  throw Error(kind_of(result), fmt::format("{}: {} ({})", call, name, static_cast<int>(result)),
              hint_for(result), static_cast<long>(result));
}

DriverApi load_driver_api(const char* library) {
  void* handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(ErrorKind::no_device, fmt::format("no NVIDIA driver: {} was not found", library),
                fmt::format("install the NVIDIA driver, {}", replay_hint));
  }
  const auto get = reinterpret_cast<GetProcAddress>(::dlsym(handle, "cuGetProcAddress_v2"));
  if (get == nullptr) fail_too_old("has no cuGetProcAddress_v2");

  const Resolver resolve(get);
  DriverApi api;
  resolve.required(api.get_error_name, "cuGetErrorName");
  resolve.required(api.init, "cuInit");
  resolve.required(api.driver_get_version, "cuDriverGetVersion");
  int version = 0;
  const CUresult result = api.driver_get_version(&version);
  if (result == CUDA_ERROR_STUB_LIBRARY) fail_stub();
  api.check(result, "cuDriverGetVersion");
  if (version < required_version) {
    fail_too_old(fmt::format("supports CUDA {}.{}", version / 1000, version % 1000 / 10));
  }

  resolve.required(api.device_get_count, "cuDeviceGetCount");
  resolve.required(api.device_get, "cuDeviceGet");
  resolve.required(api.device_get_name, "cuDeviceGetName");
  resolve.required(api.device_get_attribute, "cuDeviceGetAttribute");
  resolve.required(api.device_total_mem, "cuDeviceTotalMem");
  resolve.required(api.primary_context_retain, "cuDevicePrimaryCtxRetain");
  resolve.required(api.primary_context_release, "cuDevicePrimaryCtxRelease");
  resolve.required(api.context_get_current, "cuCtxGetCurrent");
  resolve.required(api.context_set_current, "cuCtxSetCurrent");
  resolve.required(api.context_get_id, "cuCtxGetId");
  resolve.required(api.context_get_device, "cuCtxGetDevice");
#if CUDA_VERSION >= 12040
  resolve.find(api.context_get_resource, "cuCtxGetDevResource", 12040);
#endif
  resolve.required(api.mem_alloc, "cuMemAlloc");
  resolve.required(api.mem_free, "cuMemFree");
  resolve.required(api.mem_get_info, "cuMemGetInfo");
  resolve.required(api.memcpy_to_device, "cuMemcpyHtoD");
  resolve.required(api.memcpy_to_host, "cuMemcpyDtoH");
  resolve.required(api.memcpy_on_device_async, "cuMemcpyDtoDAsync");
  resolve.required(api.memset_async, "cuMemsetD8Async");
  resolve.required(api.library_load_data, "cuLibraryLoadData");
  resolve.required(api.library_unload, "cuLibraryUnload");
  resolve.required(api.library_get_kernel, "cuLibraryGetKernel");
  resolve.required(api.kernel_get_function, "cuKernelGetFunction");
#if CUDA_VERSION >= 12040
  resolve.find(api.kernel_get_parameter, "cuKernelGetParamInfo", 12040);
#endif
  resolve.required(api.kernel_set_attribute, "cuKernelSetAttribute");
  resolve.required(api.kernel_get_attribute, "cuKernelGetAttribute");
  resolve.required(api.launch_kernel, "cuLaunchKernel");
  resolve.required(api.launch_kernel_ex, "cuLaunchKernelEx");
  resolve.required(api.stream_create, "cuStreamCreate");
  resolve.required(api.stream_destroy, "cuStreamDestroy");
  resolve.required(api.stream_synchronize, "cuStreamSynchronize");
  resolve.required(api.stream_is_capturing, "cuStreamIsCapturing");
  resolve.required(api.stream_begin_capture, "cuStreamBeginCapture");
  resolve.required(api.stream_end_capture, "cuStreamEndCapture");
  resolve.required(api.exchange_capture_mode, "cuThreadExchangeStreamCaptureMode");
  resolve.required(api.graph_instantiate, "cuGraphInstantiateWithFlags");
  resolve.required(api.graph_destroy, "cuGraphDestroy");
  resolve.required(api.graph_exec_destroy, "cuGraphExecDestroy");
  resolve.required(api.graph_upload, "cuGraphUpload");
  resolve.required(api.graph_launch, "cuGraphLaunch");
  resolve.required(api.event_create, "cuEventCreate");
  resolve.required(api.event_destroy, "cuEventDestroy");
  resolve.required(api.event_record, "cuEventRecord");
  resolve.required(api.event_synchronize, "cuEventSynchronize");
  resolve.required(api.event_elapsed_time, "cuEventElapsedTime");
  return api;
}

const DriverApi& driver_api() {
  static const DriverApi api = load_driver_api("libcuda.so.1");  // a throw leaves it for the next call
  return api;
}

void initialize_driver(const DriverApi& api) {
  static std::once_flag eager;
  std::call_once(eager, [] { ::setenv("CUDA_MODULE_LOADING", "EAGER", /*overwrite=*/0); });
  const CUresult result = api.init(0);
  if (result == CUDA_ERROR_STUB_LIBRARY) fail_stub();
  if (result == CUDA_ERROR_NO_DEVICE) {
    throw Error(ErrorKind::no_device, "the NVIDIA driver finds no GPU",
                fmt::format("check nvidia-smi and CUDA_VISIBLE_DEVICES, {}", replay_hint), result);
  }
  api.check(result, "cuInit");
}

}  // namespace warptune::runtime
