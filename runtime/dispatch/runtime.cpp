#include <warptune/runtime/runtime.hpp>

#include <array>
#include <utility>
#include <vector>

#include "runtime/dispatch/kernel_state.hpp"
#include "runtime/dispatch/runtime_state.hpp"
#include "runtime/dispatch/typed_kernels.hpp"

namespace warptune::runtime {

struct Workspace::Impl {
  std::shared_ptr<KernelState> kernel;  // keeps the device alive
  DeviceBuffer workspace, counters;
  Scratch scratch;
};

Workspace::Workspace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

Match Kernel::launch(StreamHandle stream, std::span<const std::int64_t> dims,
                     std::span<void* const> pointers) const {
  return state_->launch(stream, dims, pointers);
}

Match Kernel::launch(StreamHandle stream, std::span<const std::int64_t> dims, std::span<void* const> pointers,
                     const Workspace& workspace) const {
  return state_->launch(stream, dims, pointers, workspace.impl_->scratch);
}

Match Kernel::launch_typed(StreamHandle stream, std::span<const std::int64_t> dims,
                           std::span<void* const> pointers, const std::string_view* element_names,
                           const Workspace* workspace) const {
  state_->require_types(element_names, pointers.size());
  return workspace == nullptr ? state_->launch(stream, dims, pointers)
                              : state_->launch(stream, dims, pointers, workspace->impl_->scratch);
}

void Kernel::prepare(StreamHandle stream, std::span<const std::int64_t> dims,
                     std::int64_t alignment_bytes) const {
  state_->prepare(stream, dims, alignment_bytes);
}

Workspace Kernel::reserve(std::span<const std::int64_t> dims, std::int64_t alignment_bytes) const {
  const ScratchSize size = state_->reserve(dims, alignment_bytes);
  auto impl = std::make_unique<Workspace::Impl>();
  impl->kernel = state_;
  SharedDevice& shared = state_->context().device();
  const std::scoped_lock lock(shared.mutex);
  Device& device = *shared.device;
  if (size.workspace_bytes > 0) impl->workspace = DeviceBuffer(device, size.workspace_bytes);
  if (size.counter_bytes > 0) {
    impl->counters = DeviceBuffer(device, size.counter_bytes);
    // Synchronous, so that any stream may use it next.
    device.copy_to_device(impl->counters.get(), std::vector<std::byte>(size.counter_bytes).data(),
                          size.counter_bytes);
  }
  impl->scratch = {impl->workspace.get(), impl->counters.get(), size};
  return Workspace(std::move(impl));
}

Selection Kernel::select(std::span<const std::int64_t> dims, std::int64_t alignment_bytes) const {
  return state_->select(dims, alignment_bytes);
}

const std::string& Kernel::name() const { return state_->name(); }

Runtime Runtime::open(const std::filesystem::path& database, RuntimeOptions options,
                      std::shared_ptr<Device> device) {
  return open(database, std::move(options),
              device == nullptr ? cuda_contexts() : only_context(std::move(device)));
}

Runtime Runtime::open(const std::filesystem::path& database, RuntimeOptions options,
                      std::shared_ptr<Contexts> contexts) {
  return Runtime(std::make_shared<RuntimeState>(database, std::move(options), std::move(contexts)));
}

Runtime Runtime::open_bundle(std::span<const std::byte> image, RuntimeOptions options,
                             std::shared_ptr<Device> device) {
  return Runtime(std::make_shared<RuntimeState>(
      "(bundle in memory)", std::move(options),
      device == nullptr ? cuda_contexts() : only_context(std::move(device)), image));
}

Kernel Runtime::kernel(std::string_view name, const std::map<std::string, std::string>& types,
                       const KernelOptions& options) {
  // The handle shares the runtime's life: kernels live in it.
  return Kernel(std::shared_ptr<KernelState>(state_, &state_->here().kernel(name, types, options)));
}

const Device& Runtime::device() const { return *state_->here().device().device; }

namespace {

Match dot_of(const Runtime& runtime, std::size_t index, const char* type, const void* a, const void* b,
             float* y, std::int64_t n, StreamHandle stream) {
  ContextState& context = TypedKernels::context(runtime);
  KernelState& kernel = TypedKernels::find(context.dot_kernels[index], [&]() -> KernelState& {
    return context.kernel("dot", {{"T", type}}, {});
  });
  const std::array<std::int64_t, 1> dims{n};
  const std::array<void*, 3> pointers{const_cast<void*>(a), const_cast<void*>(b), y};
  return kernel.launch(stream, dims, pointers);
}

}  // namespace

Match dot(Runtime& runtime, const float* a, const float* b, float* y, std::int64_t n, StreamHandle stream) {
  return dot_of(runtime, 0, "float", a, b, y, n, stream);
}
Match dot(Runtime& runtime, const __half* a, const __half* b, float* y, std::int64_t n, StreamHandle stream) {
  return dot_of(runtime, 1, "__half", a, b, y, n, stream);
}
Match dot(Runtime& runtime, const __nv_bfloat16* a, const __nv_bfloat16* b, float* y, std::int64_t n,
          StreamHandle stream) {
  return dot_of(runtime, 2, "__nv_bfloat16", a, b, y, n, stream);
}

}  // namespace warptune::runtime
