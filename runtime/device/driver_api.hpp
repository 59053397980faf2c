// The functions of the CUDA driver that warptune calls, found at run time, so that a program starts without a driver.
// A table is immutable once loaded and safe for concurrent use.
#pragma once

#include <cuda.h>

namespace warptune::runtime {

// Entry points with the calling convention of CUDA 12.0, whatever the driver's own version. Pointers are never null unless
// marked optional.
struct DriverApi {
  decltype(&cuGetErrorName) get_error_name = nullptr;
  decltype(&cuInit) init = nullptr;
  decltype(&cuDriverGetVersion) driver_get_version = nullptr;

  decltype(&cuDeviceGetCount) device_get_count = nullptr;
  decltype(&cuDeviceGet) device_get = nullptr;
  decltype(&cuDeviceGetName) device_get_name = nullptr;
  decltype(&cuDeviceGetAttribute) device_get_attribute = nullptr;
  decltype(&cuDeviceTotalMem) device_total_mem = nullptr;

  decltype(&cuDevicePrimaryCtxRetain) primary_context_retain = nullptr;
  decltype(&cuDevicePrimaryCtxRelease) primary_context_release = nullptr;
  decltype(&cuCtxGetCurrent) context_get_current = nullptr;
  decltype(&cuCtxSetCurrent) context_set_current = nullptr;
  decltype(&cuCtxGetId) context_get_id = nullptr;
  decltype(&cuCtxGetDevice) context_get_device = nullptr;
#if CUDA_VERSION >= 12040
  decltype(&cuCtxGetDevResource) context_get_resource = nullptr;  // optional: drivers from 12.4
#endif

  decltype(&cuMemAlloc) mem_alloc = nullptr;
  decltype(&cuMemFree) mem_free = nullptr;
  decltype(&cuMemGetInfo) mem_get_info = nullptr;
  decltype(&cuMemcpyHtoD) memcpy_to_device = nullptr;
  decltype(&cuMemcpyDtoH) memcpy_to_host = nullptr;
  decltype(&cuMemcpyDtoDAsync) memcpy_on_device_async = nullptr;
  decltype(&cuMemsetD8Async) memset_async = nullptr;

  decltype(&cuLibraryLoadData) library_load_data = nullptr;
  decltype(&cuLibraryUnload) library_unload = nullptr;
  decltype(&cuLibraryGetKernel) library_get_kernel = nullptr;
  decltype(&cuKernelGetFunction) kernel_get_function = nullptr;
#if CUDA_VERSION >= 12040
  decltype(&cuKernelGetParamInfo) kernel_get_parameter = nullptr;  // optional: drivers from 12.4
#endif
  decltype(&cuKernelSetAttribute) kernel_set_attribute = nullptr;
  decltype(&cuKernelGetAttribute) kernel_get_attribute = nullptr;
  decltype(&cuLaunchKernel) launch_kernel = nullptr;
  decltype(&cuLaunchKernelEx) launch_kernel_ex = nullptr;

  decltype(&cuStreamCreate) stream_create = nullptr;
  decltype(&cuStreamDestroy) stream_destroy = nullptr;
  decltype(&cuStreamSynchronize) stream_synchronize = nullptr;
  decltype(&cuStreamIsCapturing) stream_is_capturing = nullptr;
  decltype(&cuStreamBeginCapture) stream_begin_capture = nullptr;
  decltype(&cuStreamEndCapture) stream_end_capture = nullptr;
  decltype(&cuThreadExchangeStreamCaptureMode) exchange_capture_mode = nullptr;

  decltype(&cuGraphInstantiateWithFlags) graph_instantiate = nullptr;
  decltype(&cuGraphDestroy) graph_destroy = nullptr;
  decltype(&cuGraphExecDestroy) graph_exec_destroy = nullptr;
  decltype(&cuGraphUpload) graph_upload = nullptr;
  decltype(&cuGraphLaunch) graph_launch = nullptr;

  decltype(&cuEventCreate) event_create = nullptr;
  decltype(&cuEventDestroy) event_destroy = nullptr;
  decltype(&cuEventRecord) event_record = nullptr;
  decltype(&cuEventSynchronize) event_synchronize = nullptr;
  decltype(&cuEventElapsedTime) event_elapsed_time = nullptr;

  // Throws Error when `result` is not CUDA_SUCCESS: "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2)", native code = CUresult.
  // Kinds: out_of_memory, no_device, capture, else cuda.
  void check(CUresult result, const char* call) const {
    if (result != CUDA_SUCCESS) fail(result, call);
  }
  [[noreturn]] void fail(CUresult result, const char* call) const;
};

// Loads a driver library by name or path; the library stays loaded for the life of the process. Calls no cuInit.
// Errors: no_device (not found, or the toolkit's stub), unsupported (older than CUDA 12.0).
DriverApi load_driver_api(const char* library);

// The system's driver, loaded on the first call that succeeds. Thread-safe. Errors as load_driver_api.
const DriverApi& driver_api();

// cuInit, with modules loaded eagerly unless CUDA_MODULE_LOADING is set: no load then falls into a timing.
// Errors: no_device (stub library, no GPU), cuda.
void initialize_driver(const DriverApi& api);

}  // namespace warptune::runtime
