// The device seam: identity and limits, memory, load, launch, capture, time. `cuda:N` and, in tests, a stub stand behind it.
// A Device may be used by one thread at a time, except launch(), fill() and is_capturing(), which are safe from any number
// of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <warptune/base/error.hpp>
#include <warptune/spec/instance.hpp>
#include <warptune/spec/problem.hpp>

namespace warptune::runtime {

using spec::Dim3;

using DevicePointer = std::uint64_t;
enum class StreamHandle : std::uintptr_t {};    // CUstream; 0 is the legacy default stream
enum class FunctionHandle : std::uintptr_t {};  // CUkernel or CUfunction
enum class EventHandle : std::uintptr_t {};

struct DeviceInfo {
  spec::DeviceTraits traits;
  int driver_version = 0;            // 13000 for CUDA 13.0
  std::string driver_name;           // "580.159.04", empty when unknown
  std::string label;                 // "cuda:0"
  std::string bus_id;                // "0000:1b:00": which GPU of the machine; for locks, never stored
  std::string architecture() const;  // "sm_90"
};

// Machine code loaded on a device; functions stay valid while it lives.
class LoadedModule {
 public:
  virtual ~LoadedModule() = default;
  // `name`: lowered (mangled). Error not_found.
  // The kernel is on the device when this returns: no lazy load falls into the first launch.
  virtual FunctionHandle function(const std::string& name) = 0;
  // Sizes in bytes of the kernel's parameters, in order, as the driver has them; nothing where it cannot say (before CUDA
  // 12.4). Error not_found.
  virtual std::optional<std::vector<std::size_t>> parameter_bytes(const std::string&) { return std::nullopt; }
  // What the driver says of a kernel that function() gave: for PTX, whose machine code is made when it is loaded.
  virtual spec::KernelTraits traits(FunctionHandle function) = 0;
};

// An instantiated graph.
class Graph {
 public:
  virtual ~Graph() = default;
  virtual void launch(StreamHandle stream) = 0;
};

// How a kernel is launched.
struct LaunchShape {
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;  // dynamic
  // The kernel may begin while the kernel before it on the stream still runs, and itself waits for that kernel's results
  // (programmatic dependent launch). Where the device or the driver cannot, it begins afterwards like any other.
  bool programmatic = false;
};
inline LaunchShape shape_of(const spec::KernelStep& step) {
  return {step.grid, step.block, step.shared_bytes, step.programmatic};
}

// cuLaunchKernel, in types that need no header of CUDA's. Gives a CUresult.
using LaunchFunction = int (*)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                               void* stream, void** arguments, void** extra);

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;
  // Makes this device's context current on the calling thread; a borrowed context is left alone. Needed once on each thread
  // that puts work on streams; opening does it for the opening thread.
  virtual void make_current() = 0;

  // Memory. Errors: out_of_memory, cuda.
  virtual DevicePointer allocate(std::size_t bytes) = 0;
  virtual void release(DevicePointer pointer) noexcept = 0;
  virtual std::size_t free_bytes() = 0;
  virtual void copy_to_device(DevicePointer to, const void* from, std::size_t bytes) = 0;  // synchronous
  virtual void copy_to_host(void* to, DevicePointer from, std::size_t bytes) = 0;          // synchronous
  virtual void copy_on_device(DevicePointer to, DevicePointer from, std::size_t bytes,
                              StreamHandle stream) = 0;
  virtual void fill(DevicePointer to, std::uint8_t byte, std::size_t bytes, StreamHandle stream) = 0;

  // Load and launch. `arguments`: one pointer per kernel parameter, as cuLaunchKernel takes them.
  // `image`: a cubin, or PTX that ends in a zero byte. Errors: bad_input (neither, or cut short), cuda (not for this device).
  virtual std::unique_ptr<LoadedModule> load(std::span<const std::byte> image) = 0;
  // Allows this much dynamic shared memory; needed above 48 KiB.
  virtual void allow_shared_bytes(FunctionHandle function, std::uint32_t bytes) = 0;
  virtual void launch(FunctionHandle function, const LaunchShape& shape, StreamHandle stream,
                      void** arguments) = 0;

  // What launch() calls for a shape that is not programmatic, for those who launch often; null: there is only launch(). Other
  // results than 0 go to throw_launch_error(), which throws what launch() would.
  virtual LaunchFunction launch_function() const noexcept { return nullptr; }
  [[noreturn]] virtual void throw_launch_error(int code) const;

  // Streams, capture, time. Work on created streams is ordered with work on the legacy stream.
  virtual StreamHandle create_stream() = 0;
  virtual void destroy_stream(StreamHandle stream) noexcept = 0;
  virtual void synchronize(StreamHandle stream) = 0;
  virtual bool is_capturing(StreamHandle stream) = 0;
  // Only this thread's calls are restricted while it captures. Not on the legacy stream.
  virtual void begin_capture(StreamHandle stream) = 0;
  virtual std::unique_ptr<Graph> end_capture(StreamHandle stream) = 0;  // Error capture: it was invalidated
  virtual EventHandle create_event() = 0;
  virtual void destroy_event(EventHandle event) noexcept = 0;
  virtual void record(EventHandle event, StreamHandle stream) = 0;
  virtual double elapsed_ns(EventHandle from, EventHandle to) = 0;  // waits for `to`
};

// Owning handle of device memory.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(Device& device, std::size_t bytes);
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  ~DeviceBuffer();
  DevicePointer get() const { return pointer_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Device* device_ = nullptr;
  DevicePointer pointer_ = 0;
  std::size_t bytes_ = 0;
};

// True after failures that no later call on the same context survives (illegal access, trap, ...): only a new process, or
// a new context where the driver allows it, helps.
bool context_is_lost(const Error& error) noexcept;

// Owns the primary context of device `ordinal` for as long as it lives (tuner, examples).
// Errors: no_device (no driver, stub library only, no such ordinal: each its own message), cuda.
std::unique_ptr<Device> open_cuda_device(int ordinal);
// Uses the context that is current on the calling thread; never creates or changes one (runtime).
// Error no_device when none is current.
std::unique_ptr<Device> borrow_current_cuda_device();
// Number of devices; 0 with `why` set when there is no usable driver. Never throws.
int cuda_device_count(std::string* why = nullptr) noexcept;

}  // namespace warptune::runtime
