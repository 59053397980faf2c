// A Device on the host, for tests of everything above the device seam without a GPU.
// Memory is the heap (device addresses are host addresses), kernels are host functions found by name, time is synthetic.
// Every member may be called from any number of threads; kernel bodies run on the calling thread, outside the lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <warptune/runtime/device.hpp>

namespace warptune::testing {

// The launch that a kernel's body, or its cost, is asked about.
struct StubLaunch {
  const std::string& name;  // as in the image: the stub compiler uses the entry, e.g. "dot<float, 256, 4>"
  runtime::Dim3 grid;
  runtime::Dim3 block;
  std::uint32_t shared_bytes;
};

// "dot<float, 256, 4>" -> {"float", "256", "4"}; a plain name has none.
std::vector<std::string> template_arguments(std::string_view name);

// What a small card might report: "Stub GPU", sm_90, 4 SMs, 1 MiB of L2, 1 GiB of memory.
spec::DeviceTraits stub_traits();

// An image that load() accepts: it names the kernels it holds.
std::vector<std::byte> stub_image(const std::vector<std::string>& names);

class StubDevice final : public runtime::Device {
 public:
  explicit StubDevice(spec::DeviceTraits traits = stub_traits());
  ~StubDevice() override;

  // Gives kernels a body. `name`: an exact name, or the part before '<' for all instantiations; exact wins. `Args`: the
  // parameters as the kernel declares them; scalars must match in size. Example:
  //   device.define<const float*, float*, long long>("sum", [](const StubLaunch&, const float* x, float* y, long long n) {
  //     *y = std::accumulate(x, x + n, 0.0f); });
  template <class... Args>
  void define(const std::string& name,
              std::type_identity_t<std::function<void(const StubLaunch&, Args...)>> body) {
    define_raw(name, {sizeof(Args)...}, [body = std::move(body)](const StubLaunch& launch, void** arguments) {
      call<Args...>(body, launch, arguments, std::index_sequence_for<Args...>{});
    });
  }
  // Time one launch takes, in ns; matched like define(). 1000 ns where nothing is set.
  using Cost = std::function<double(const StubLaunch&)>;
  void set_cost(const std::string& name, Cost cost_ns);
  // Whether graph replays run the bodies (default) or only take their time: for tests of the loop, not of results.
  void run_bodies_in_graphs(bool run) { run_bodies_in_graphs_ = run; }

  // Injected failures. A failure whose code ends a context (see context_is_lost) is then thrown by every later call, until
  // recover().
  enum class When { launch, synchronize };
  // Every launch of a kernel whose name contains `part`.
  void fail_kernels(const std::string& part, Error error, When when = When::launch);
  // The n-th launch from now (1: the next), whatever the kernel.
  void fail_launch(int nth, Error error);
  // Allocations beyond this many live bytes: Error out_of_memory.
  void set_memory_limit(std::size_t bytes);
  void recover();
  // Work on streams is refused, as the driver refuses it, where this says that another context is current.
  void set_usable(std::function<bool()> usable) { usable_ = std::move(usable); }
  void set_place(std::string label, std::string bus_id) {
    info_.label = std::move(label);
    info_.bus_id = std::move(bus_id);
  }

  // What happened.
  std::size_t launch_count() const { return launches_; }  // graph replays count each node
  std::size_t load_count() const { return loads_; }       // images
  std::size_t programmatic_launch_count() const { return programmatic_launches_; }  // captures count once
  std::map<std::string, std::size_t> launches_by_name() const;  // counted only after count_launches_by_name()
  void count_launches_by_name() { count_by_name_ = true; }
  std::size_t live_allocations() const;
  std::size_t live_bytes() const;
  std::vector<std::string> faults()
      const;  // double frees, unknown handles destroyed: things that noexcept members saw

  // Device.
  const runtime::DeviceInfo& info() const override { return info_; }
  void make_current() override {}
  runtime::DevicePointer allocate(std::size_t bytes) override;
  void release(runtime::DevicePointer pointer) noexcept override;
  std::size_t free_bytes() override;
  void copy_to_device(runtime::DevicePointer to, const void* from, std::size_t bytes) override;
  void copy_to_host(void* to, runtime::DevicePointer from, std::size_t bytes) override;
  void copy_on_device(runtime::DevicePointer to, runtime::DevicePointer from, std::size_t bytes,
                      runtime::StreamHandle stream) override;
  void fill(runtime::DevicePointer to, std::uint8_t byte, std::size_t bytes,
            runtime::StreamHandle stream) override;
  std::unique_ptr<runtime::LoadedModule> load(std::span<const std::byte> image) override;
  void allow_shared_bytes(runtime::FunctionHandle function, std::uint32_t bytes) override;
  void launch(runtime::FunctionHandle function, const runtime::LaunchShape& shape,
              runtime::StreamHandle stream, void** arguments) override;
  runtime::StreamHandle create_stream() override;
  void destroy_stream(runtime::StreamHandle stream) noexcept override;
  void synchronize(runtime::StreamHandle stream) override;
  bool is_capturing(runtime::StreamHandle stream) override;
  void begin_capture(runtime::StreamHandle stream) override;
  std::unique_ptr<runtime::Graph> end_capture(runtime::StreamHandle stream) override;
  runtime::EventHandle create_event() override;
  void destroy_event(runtime::EventHandle event) noexcept override;
  void record(runtime::EventHandle event, runtime::StreamHandle stream) override;
  double elapsed_ns(runtime::EventHandle from, runtime::EventHandle to) override;

 private:
  static constexpr double memory_operation_ns = 500;
  using RawBody = std::function<void(const StubLaunch&, void**)>;
  struct Definition {
    std::vector<std::size_t> sizes;  // of the parameters, in bytes
    RawBody body;
  };
  struct Function {  // a kernel of a loaded image
    std::string name;
    std::uint32_t allowed_shared_bytes = 49152;
  };
  struct Node {                    // of a graph
    Function* function = nullptr;  // null: a memory operation
    std::function<void()> memory;
    runtime::Dim3 grid, block;
    std::uint32_t shared_bytes = 0;
    std::vector<std::vector<std::byte>> arguments;  // copied when captured, as the driver does
  };
  struct Stream {
    bool capturing = false;
    bool invalidated = false;
    std::vector<Node> nodes;
  };
  struct KernelFailure {
    std::string part;
    Error error;
    When when;
  };
  class Module;
  class StubGraph;

  template <class... Args, std::size_t... Index>
  static void call(const std::function<void(const StubLaunch&, Args...)>& body, const StubLaunch& launch,
                   void** arguments, std::index_sequence<Index...>) {
    static_cast<void>(arguments);  // unused by kernels without parameters
    body(launch, *static_cast<std::remove_cv_t<Args>*>(arguments[Index])...);
  }
  void define_raw(const std::string& name, std::vector<std::size_t> sizes, RawBody body);
  runtime::FunctionHandle function(const std::string& name);
  void replay(const std::vector<Node>& nodes);
  void run_kernel(Function& function, runtime::Dim3 grid, runtime::Dim3 block, std::uint32_t shared_bytes,
                  void** arguments, bool run_body);
  void run_memory(runtime::StreamHandle stream, std::function<void()> operation);

  // Precondition of the following: the lock is held.
  void require_healthy() const;
  void require_usable() const;
  void require_range(std::uint64_t address, std::size_t bytes, const char* call) const;
  void require_launchable(const Function& function, runtime::Dim3 grid, runtime::Dim3 block,
                          std::uint32_t shared_bytes) const;
  void inject_failures(const Function& function);
  void throw_pending();
  [[noreturn]] void raise(const Error& error);
  Stream& stream_of(runtime::StreamHandle handle);
  Function& function_of(runtime::FunctionHandle handle);
  const Definition* definition_of(std::string_view name) const;

  runtime::DeviceInfo info_;
  mutable std::mutex mutex_;
  double now_ns_ = 0;                                 // one clock for all streams
  std::map<std::uint64_t, std::size_t> allocations_;  // address -> bytes
  std::size_t live_bytes_ = 0;
  std::size_t memory_limit_;
  std::map<std::string, std::shared_ptr<const Definition>, std::less<>> definitions_;
  std::map<std::string, Cost, std::less<>> costs_;
  std::map<std::string, std::uintptr_t> handles_;  // of functions, by name
  std::map<std::uintptr_t, std::unique_ptr<Function>> functions_;
  std::map<std::uintptr_t, Stream> streams_;
  std::map<std::uintptr_t, std::optional<double>> events_;  // when recorded, ns
  std::uintptr_t next_handle_ = 1;
  std::vector<KernelFailure> kernel_failures_;
  std::map<std::size_t, Error> launch_failures_;  // number of the launch -> error
  std::optional<Error> pending_;                  // surfaces at the next synchronization
  std::optional<Error> lost_;                     // the context is gone
  std::atomic<std::size_t> loads_ = 0;
  std::atomic<std::size_t> launches_ = 0;
  std::atomic<std::size_t> programmatic_launches_ = 0;
  std::map<std::string, std::size_t> by_name_;
  std::vector<std::string> faults_;
  std::function<bool()> usable_ = [] { return true; };
  std::atomic<bool> count_by_name_ = false;
  std::atomic<bool> run_bodies_in_graphs_ = true;
};

}  // namespace warptune::testing
