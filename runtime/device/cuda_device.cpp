#include "runtime/device/cuda_device.hpp"

#include <elf.h>

#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/device_info.hpp"

namespace warptune::runtime {
namespace {

CUstream native(StreamHandle stream) { return reinterpret_cast<CUstream>(stream); }
CUevent native(EventHandle event) { return reinterpret_cast<CUevent>(event); }
CUkernel native_kernel(FunctionHandle function) { return reinterpret_cast<CUkernel>(function); }

// cuLibraryLoadData is not told the size: a file cut short is read past its end, and noise is accepted (seen on an H200) until
// a kernel is asked for. So an image must be a whole ELF file, or PTX that ends in its zero byte.
void require_bounded(std::span<const std::byte> image) {
  Elf64_Ehdr header;
  if (image.size() >= sizeof header) {
    std::memcpy(&header, image.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0) {
      const std::uint64_t table_bytes = std::uint64_t{header.e_shnum} * header.e_shentsize;
      if (header.e_shoff <= image.size() && table_bytes <= image.size() - header.e_shoff) return;
      throw Error(ErrorKind::bad_input, "the image to load is a cubin cut short", "compile it again");
    }
  }
  if (image.empty() || image.back() != std::byte{0}) {
    throw Error(ErrorKind::bad_input, "the image to load is neither a cubin nor PTX with a zero at its end",
                "compile it again");
  }
}

class CudaModule final : public LoadedModule {
 public:
  CudaModule(std::shared_ptr<const CudaContext> context, std::span<const std::byte> image)
      : context_(std::move(context)) {
    require_bounded(image);
    const ContextScope scope(*context_);
    context_->api().check(
        context_->api().library_load_data(&library_, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cuLibraryLoadData");
  }
  ~CudaModule() override {
    const ContextScope scope(*context_, std::nothrow);
    if (scope.entered()) context_->api().library_unload(library_);
  }

  FunctionHandle function(const std::string& name) override {
    const DriverApi& api = context_->api();
    const ContextScope scope(*context_);
    CUkernel kernel = find(name);
    CUfunction loaded =
        nullptr;  // asking for it loads the kernel into this context, whatever the loading mode
    api.check(api.kernel_get_function(&loaded, kernel), "cuKernelGetFunction");
    return FunctionHandle{reinterpret_cast<std::uintptr_t>(kernel)};
  }

  std::optional<std::vector<std::size_t>> parameter_bytes(const std::string& name) override {
#if CUDA_VERSION >= 12040
    const DriverApi& api = context_->api();
    if (api.kernel_get_parameter == nullptr) return std::nullopt;
    const ContextScope scope(*context_);
    CUkernel kernel = find(name);
    std::vector<std::size_t> sizes;
    for (constexpr std::size_t most = 4096; sizes.size() < most;) {
      std::size_t offset = 0, bytes = 0;
      // CUDA_ERROR_INVALID_VALUE: there is no parameter of that number.
      const CUresult result = api.kernel_get_parameter(kernel, sizes.size(), &offset, &bytes);
      if (result == CUDA_ERROR_INVALID_VALUE) return sizes;
      api.check(result, "cuKernelGetParamInfo");
      sizes.push_back(bytes);
    }
    return sizes;
#else
    static_cast<void>(name);
    return std::nullopt;
#endif
  }

  spec::KernelTraits traits(FunctionHandle function) override {
    const ContextScope scope(*context_);
    const auto attribute = [&](CUfunction_attribute which) {
      int value = 0;
      context_->api().check(
          context_->api().kernel_get_attribute(&value, which, native_kernel(function), context_->device()),
          "cuKernelGetAttribute");
      return value;
    };
    return {attribute(CU_FUNC_ATTRIBUTE_NUM_REGS), attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
            attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
            attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)};
  }

 private:
  CUkernel find(const std::string& name) const {
    CUkernel kernel = nullptr;
    const CUresult result = context_->api().library_get_kernel(&kernel, library_, name.c_str());
    if (result == CUDA_ERROR_NOT_FOUND) {
      throw Error(ErrorKind::not_found, "the loaded image has no kernel " + name, {}, result);
    }
    context_->api().check(result, "cuLibraryGetKernel");
    return kernel;
  }

  std::shared_ptr<const CudaContext> context_;
  CUlibrary library_ = nullptr;
};

class CudaGraph final : public Graph {
 public:
  CudaGraph(std::shared_ptr<const CudaContext> context, CUgraph graph) : context_(std::move(context)) {
    const ContextScope scope(*context_);
    const CUresult result = context_->api().graph_instantiate(&executable_, graph, 0);
    context_->api().graph_destroy(graph);
    context_->api().check(result, "cuGraphInstantiate");
  }
  ~CudaGraph() override {
    const ContextScope scope(*context_, std::nothrow);
    if (scope.entered()) context_->api().graph_exec_destroy(executable_);
  }

  void launch(StreamHandle stream) override {
    context_->api().check(context_->api().graph_launch(executable_, native(stream)), "cuGraphLaunch");
  }
  // Moves the graph to the device ahead of its first launch.
  void upload(StreamHandle stream) {
    context_->api().check(context_->api().graph_upload(executable_, native(stream)), "cuGraphUpload");
  }

 private:
  std::shared_ptr<const CudaContext> context_;
  CUgraphExec executable_ = nullptr;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(std::shared_ptr<const CudaContext> context)
      : context_(std::move(context)), api_(context_->api()), info_(read_device_info(*context_)) {
    // Graphs hold such launches since CUDA 12.3.
    launches_programmatically_ = info_.traits.compute_capability >= 90 && info_.driver_version >= 12030;
  }

  const DeviceInfo& info() const override { return info_; }

  void make_current() override {
    if (context_->owned()) api_.check(api_.context_set_current(context_->handle()), "cuCtxSetCurrent");
  }

  DevicePointer allocate(std::size_t bytes) override {
    const ContextScope scope(*context_);
    CUdeviceptr pointer = 0;
    const CUresult result = api_.mem_alloc(&pointer, bytes > 0 ? bytes : 1);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
      throw Error(ErrorKind::out_of_memory,
                  "out of GPU memory: " + info_.label + " cannot give " + std::to_string(bytes) + " bytes",
                  "use smaller dims, or free memory held by other processes on this GPU", result);
    }
    api_.check(result, "cuMemAlloc");
    return pointer;
  }
  void release(DevicePointer pointer) noexcept override {
    const ContextScope scope(*context_, std::nothrow);
    // Fails only after a sticky error, when the context's memory is lost anyway.
    if (scope.entered()) api_.mem_free(pointer);
  }
  std::size_t free_bytes() override {
    const ContextScope scope(*context_);
    std::size_t free = 0;
    std::size_t total = 0;
    api_.check(api_.mem_get_info(&free, &total), "cuMemGetInfo");
    return free;
  }
  void copy_to_device(DevicePointer to, const void* from, std::size_t bytes) override {
    if (bytes == 0) return;
    const ContextScope scope(*context_);
    api_.check(api_.memcpy_to_device(to, from, bytes), "cuMemcpyHtoD");
  }
  void copy_to_host(void* to, DevicePointer from, std::size_t bytes) override {
    if (bytes == 0) return;
    const ContextScope scope(*context_);
    api_.check(api_.memcpy_to_host(to, from, bytes), "cuMemcpyDtoH");
  }
  void copy_on_device(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream) override {
    if (bytes == 0) return;
    api_.check(api_.memcpy_on_device_async(to, from, bytes, native(stream)), "cuMemcpyDtoDAsync");
  }
  void fill(DevicePointer to, std::uint8_t byte, std::size_t bytes, StreamHandle stream) override {
    if (bytes == 0) return;
    api_.check(api_.memset_async(to, byte, bytes, native(stream)), "cuMemsetD8Async");
  }

  std::unique_ptr<LoadedModule> load(std::span<const std::byte> image) override {
    return std::make_unique<CudaModule>(context_, image);
  }
  void allow_shared_bytes(FunctionHandle function, std::uint32_t bytes) override {
    api_.check(
        api_.kernel_set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes),
                                  native_kernel(function), context_->device()),
        "cuKernelSetAttribute");
  }
  // The types that the driver declares are of the same size and passing.
  LaunchFunction launch_function() const noexcept override {
    return reinterpret_cast<LaunchFunction>(api_.launch_kernel);
  }
  [[noreturn]] void throw_launch_error(int code) const override {
    api_.fail(static_cast<CUresult>(code), "cuLaunchKernel");
  }
  void launch(FunctionHandle function, const LaunchShape& shape, StreamHandle stream,
              void** arguments) override {
    const Dim3& grid = shape.grid;
    const Dim3& block = shape.block;
    if (shape.programmatic && launches_programmatically_) {
      launch_programmatically(function, shape, stream, arguments);
      return;
    }
    api_.check(api_.launch_kernel(reinterpret_cast<CUfunction>(function), grid.x, grid.y, grid.z, block.x,
                                  block.y, block.z, shape.shared_bytes, native(stream), arguments, nullptr),
               "cuLaunchKernel");
  }

  StreamHandle create_stream() override {
    const ContextScope scope(*context_);
    CUstream stream = nullptr;
    api_.check(api_.stream_create(&stream, CU_STREAM_DEFAULT), "cuStreamCreate");
    return StreamHandle{reinterpret_cast<std::uintptr_t>(stream)};
  }
  void destroy_stream(StreamHandle stream) noexcept override {
    const ContextScope scope(*context_, std::nothrow);
    if (scope.entered()) api_.stream_destroy(native(stream));
  }
  void synchronize(StreamHandle stream) override {
    api_.check(api_.stream_synchronize(native(stream)), "cuStreamSynchronize");
  }
  bool is_capturing(StreamHandle stream) override {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    api_.check(api_.stream_is_capturing(native(stream), &status), "cuStreamIsCapturing");
    return status != CU_STREAM_CAPTURE_STATUS_NONE;
  }
  void begin_capture(StreamHandle stream) override {
    api_.check(api_.stream_begin_capture(native(stream), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
               "cuStreamBeginCapture");
  }
  std::unique_ptr<Graph> end_capture(StreamHandle stream) override {
    CUgraph graph = nullptr;
    api_.check(api_.stream_end_capture(native(stream), &graph), "cuStreamEndCapture");
    auto executable = std::make_unique<CudaGraph>(context_, graph);
    executable->upload(stream);
    return executable;
  }
  EventHandle create_event() override {
    const ContextScope scope(*context_);
    CUevent event = nullptr;
    api_.check(api_.event_create(&event, CU_EVENT_DEFAULT), "cuEventCreate");
    return EventHandle{reinterpret_cast<std::uintptr_t>(event)};
  }
  void destroy_event(EventHandle event) noexcept override {
    const ContextScope scope(*context_, std::nothrow);
    if (scope.entered()) api_.event_destroy(native(event));
  }
  void record(EventHandle event, StreamHandle stream) override {
    api_.check(api_.event_record(native(event), native(stream)), "cuEventRecord");
  }
  double elapsed_ns(EventHandle from, EventHandle to) override {
    api_.check(api_.event_synchronize(native(to)), "cuEventSynchronize");
    float milliseconds = 0;
    api_.check(api_.event_elapsed_time(&milliseconds, native(from), native(to)), "cuEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e6;
  }

 private:
  void launch_programmatically(FunctionHandle function, const LaunchShape& shape, StreamHandle stream,
                               void** arguments) {
    CUlaunchAttribute overlap{};
    overlap.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    overlap.value.programmaticStreamSerializationAllowed = 1;
    CUlaunchConfig config{};
    config.gridDimX = shape.grid.x;
    config.gridDimY = shape.grid.y;
    config.gridDimZ = shape.grid.z;
    config.blockDimX = shape.block.x;
    config.blockDimY = shape.block.y;
    config.blockDimZ = shape.block.z;
    config.sharedMemBytes = shape.shared_bytes;
    config.hStream = native(stream);
    config.attrs = &overlap;
    config.numAttrs = 1;
    api_.check(api_.launch_kernel_ex(&config, reinterpret_cast<CUfunction>(function), arguments, nullptr),
               "cuLaunchKernelEx");
  }

  std::shared_ptr<const CudaContext> context_;
  const DriverApi& api_;
  DeviceInfo info_;
  bool launches_programmatically_ = false;
};

}  // namespace

std::unique_ptr<Device> make_cuda_device(std::shared_ptr<const CudaContext> context) {
  return std::make_unique<CudaDevice>(std::move(context));
}

std::unique_ptr<Device> open_cuda_device(int ordinal) {
  return make_cuda_device(CudaContext::retain_primary(driver_api(), ordinal));
}

std::unique_ptr<Device> borrow_current_cuda_device() {
  return make_cuda_device(CudaContext::borrow_current(driver_api()));
}

int cuda_device_count(std::string* why) noexcept {
  try {
    const DriverApi& api = driver_api();
    initialize_driver(api);
    int count = 0;
    api.check(api.device_get_count(&count), "cuDeviceGetCount");
    return count;
  } catch (const std::exception& error) {
    if (why != nullptr) {
      const auto* known = dynamic_cast<const Error*>(&error);
      *why = known != nullptr ? known->full_text() : error.what();
    }
    return 0;
  }
}

}  // namespace warptune::runtime
