// What an application links: opens a database, gives kernels that select their own variant per launch. See
// docs/runtime.md. Runtime and Kernel are handles: copy them, use them from any number of threads, destroy
// them in any order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/runtime/device.hpp>
#include <warptune/runtime/misses.hpp>
#include <warptune/runtime/operands.hpp>
#include <warptune/runtime/selection.hpp>
#include <warptune/spec/problem.hpp>

namespace warptune::runtime {

class Compiler;
class Contexts;
class KernelState;
class RuntimeState;

inline constexpr StreamHandle legacy_stream{0};
inline constexpr std::int64_t usual_alignment_bytes = 16;  // of what CUDA's allocators give, at least

struct RuntimeOptions {
  std::filesystem::path cache_folder;  // of compiled kernels; empty: default_cache_folder()
  // Hears warnings and notices, one line each, from whichever thread met them, with no lock held. Default:
  // stderr.
  std::function<void(const std::string&)> warn;
  std::shared_ptr<Compiler> compiler;  // default: open_nvrtc() when first needed
  double nearest_bound_log2 = 2.0;     // farthest tuned value that may serve, per free dim
  OnMiss on_miss = OnMiss::nearest;    // what becomes of a launch whose problem was not tuned
  std::filesystem::path misses_file;  // of OnMiss::record; empty: the database's path with ".misses" appended
  TuneMiss tuner;                     // of OnMiss::tune
};

struct KernelOptions {
  std::map<std::string, std::string> attributes;     // unstated ones are "any"
  spec::Numerics allowed;                            // exact only, unless said otherwise
  std::vector<std::string> policies{"cold", "hot"};  // which measurements decide, first first
};

// Device memory for a plan's workspaces and counters that belongs to its holder instead of a stream. What is
// captured with it may be replayed beside anything else; the holder keeps it until that graph is gone. One
// launch or graph at a time may use it.
class Workspace {
 public:
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

 private:
  friend class Kernel;
  struct Impl;
  explicit Workspace(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Belongs to the context that was current when Runtime::kernel() gave it: that context is current on every thread that uses it,
// and streams and pointers are its own. A launch does not ask what is current; what has to prepare something does, and gives an
// Error usage where it is another.
class Kernel {
 public:
  // `dims`: in the manifest's order, in elements, >= 0. `pointers`: device addresses of the in, out and inout
  // buffers in the manifest's order; null only for buffers without elements. Returns how the call was served.
  // Asynchronous. The first launch of new dims, pointer alignment, thread or stream may compile, load and
  // allocate; later ones take no lock and allocate nothing. A problem without output elements launches
  // nothing. Errors: usage (count, negative dims, null, not aligned to the element); capture (stream is being
  // captured, and this thread neither prepared nor launched this before: the capture stays valid); bad_input
  // (dims that overflow or that the template cannot plan); cuda, compile, no_device, out_of_memory. Never
  // because of the database.
  Match launch(StreamHandle stream, std::span<const std::int64_t> dims,
               std::span<void* const> pointers) const;
  // The same with `workspace`, which reserve() gave for these dims, or for ones that need no less. Error
  // usage: it is too small.
  Match launch(StreamHandle stream, std::span<const std::int64_t> dims, std::span<void* const> pointers,
               const Workspace& workspace) const;

  // The same with operands(a, b, y), whose element types are compared with the manifest's when the kernel first meets this list of
  // them. Error usage: one differs.
  template <std::size_t N>
  Match launch(StreamHandle stream, std::span<const std::int64_t> dims, const Operands<N>& operands) const {
    return launch_typed(stream, dims, operands.pointers, operands.element_names, nullptr);
  }
  template <std::size_t N>
  Match launch(StreamHandle stream, std::span<const std::int64_t> dims, const Operands<N>& operands,
               const Workspace& workspace) const {
    return launch_typed(stream, dims, operands.pointers, operands.element_names, &workspace);
  }

  // All that launch() does before launching, for this thread and stream and pointers aligned so: afterwards a
  // launch is on the fast path and may be captured. Errors: as launch().
  void prepare(StreamHandle stream, std::span<const std::int64_t> dims,
               std::int64_t alignment_bytes = usual_alignment_bytes) const;
  // prepare() for any stream and thread, with the scratch memory handed to the caller. Not while a stream of
  // this thread is being captured.
  Workspace reserve(std::span<const std::int64_t> dims,
                    std::int64_t alignment_bytes = usual_alignment_bytes) const;

  // What a launch would run, and why. Compiles and launches nothing. Errors: usage, bad_input.
  Selection select(std::span<const std::int64_t> dims,
                   std::int64_t alignment_bytes = usual_alignment_bytes) const;
  const std::string& name() const;

 private:
  friend class CaptureScope;
  friend class Runtime;
  explicit Kernel(std::shared_ptr<KernelState> state) : state_(std::move(state)) {}
  Match launch_typed(StreamHandle stream, std::span<const std::int64_t> dims, std::span<void* const> pointers,
                     const std::string_view* element_names, const Workspace* workspace) const;
  std::shared_ptr<KernelState> state_;
};

class Runtime {
 public:
  // Reads the winners of the device whose context is current on this thread; those of another model are read when a kernel is
  // first got, or called by a typed call, in a context of it. The file is closed again each time, except for a bundle, whose code
  // is read as it is needed. A missing, damaged, locked or newer file is one warning, and every kernel then runs its default.
  // `device`: null: contexts that are current, which are borrowed; else it is used on all threads, whatever is current. Errors:
  // no_device (no driver, or no context is current); usage (OnMiss::tune without a tuner).
  static Runtime open(const std::filesystem::path& database, RuntimeOptions options = {},
                      std::shared_ptr<Device> device = nullptr);
  // The same for contexts that the caller tells apart; not null.
  static Runtime open(const std::filesystem::path& database, RuntimeOptions options,
                      std::shared_ptr<Contexts> contexts);
  // The same with a bundle (or another database) that lies in memory, such as one that the executable holds; nothing is copied,
  // so `image` outlives the runtime's last handle.
  static Runtime open_bundle(std::span<const std::byte> image, RuntimeOptions options = {},
                             std::shared_ptr<Device> device = nullptr);
  // `name`: of a kernel in the bundle, built-in, on WARPTUNE_TEMPLATE_PATH, or a manifest's path. `types`: names or aliases, {"T",
  // "half"}. For the context that is current on this thread; there equal arguments give the same kernel. Errors: not_found,
  // bad_input, no_device (no context is current).
  Kernel kernel(std::string_view name, const std::map<std::string, std::string>& types,
                const KernelOptions& options = {});

  // Of the context current on this thread. Errors: no_device.
  const Device& device() const;

 private:
  friend class CaptureScope;
  friend class TypedKernels;
  explicit Runtime(std::shared_ptr<RuntimeState> state) : state_(std::move(state)) {}
  std::shared_ptr<RuntimeState> state_;
};

// y[0] = sum of a[i] * b[i], in the context that is current on this thread, accumulated in float, exact numerics. a, b: n elements; device pointers. Errors:
// as Kernel::launch().
Match dot(Runtime& runtime, const float* a, const float* b, float* y, std::int64_t n,
          StreamHandle stream = legacy_stream);
Match dot(Runtime& runtime, const __half* a, const __half* b, float* y, std::int64_t n,
          StreamHandle stream = legacy_stream);
Match dot(Runtime& runtime, const __nv_bfloat16* a, const __nv_bfloat16* b, float* y, std::int64_t n,
          StreamHandle stream = legacy_stream);

}  // namespace warptune::runtime

namespace warptune {
using runtime::dot;
}  // namespace warptune
