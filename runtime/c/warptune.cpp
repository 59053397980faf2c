// The functions of warptune.h, each a thin cover of runtime.hpp.
#include <warptune/runtime/warptune.h>

#include <map>
#include <memory>
#include <span>
#include <string>

#include <warptune/base/error.hpp>

#include "runtime/c/handles.hpp"
#include "runtime/c/status.hpp"

namespace {

namespace wt = warptune::runtime;
using warptune::Error;
using warptune::ErrorKind;

static_assert(static_cast<int>(wt::Match::tuned) == WARPTUNE_TUNED &&
              static_cast<int>(wt::Match::nearest) == WARPTUNE_NEAREST &&
              static_cast<int>(wt::Match::default_config) == WARPTUNE_DEFAULT);

wt::RuntimeOptions options_of(const warptune_options* given) {
  wt::RuntimeOptions options;
  if (given == nullptr) return options;
  if (given->cache_folder != nullptr) options.cache_folder = given->cache_folder;
  if (given->nearest_bound_log2 > 0) options.nearest_bound_log2 = given->nearest_bound_log2;
  if (given->warn != nullptr)
    options.warn = [warn = given->warn, user = given->user](const std::string& line) {
      warn(line.c_str(), user);
    };
  return options;
}

std::map<std::string, std::string> assignments(const char* const* list) {
  std::map<std::string, std::string> values;
  for (; list != nullptr && *list != nullptr; ++list) {
    const std::string text = *list;
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(ErrorKind::usage, "'" + text + "' is not NAME=VALUE", "write \"T=half\"");
    values[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return values;
}

std::span<const std::int64_t> dims_of(const std::int64_t* dims, std::size_t count) {
  if (count > 0) wt::require_argument(dims, "dims");
  return {dims, count};
}

wt::StreamHandle stream_of(void* stream) {
  return wt::StreamHandle{reinterpret_cast<std::uintptr_t>(stream)};
}

std::int64_t alignment_of(std::int64_t bytes) { return bytes == 0 ? wt::usual_alignment_bytes : bytes; }

void set(warptune_match* match, wt::Match value) {
  if (match != nullptr) *match = static_cast<warptune_match>(value);
}

}  // namespace

extern "C" warptune_status warptune_open(const char* path, const warptune_options* options,
                                         warptune_runtime** runtime) {
  return wt::guarded([&] {
    wt::require_argument(path, "path");
    wt::require_argument(runtime, "runtime");
    *runtime = new warptune_runtime{wt::Runtime::open(path, options_of(options))};
  });
}

extern "C" warptune_status warptune_open_memory(const void* bytes, size_t size,
                                                const warptune_options* options, warptune_runtime** runtime) {
  return wt::guarded([&] {
    wt::require_argument(bytes, "bytes");
    wt::require_argument(runtime, "runtime");
    const std::span<const std::byte> image(static_cast<const std::byte*>(bytes), size);
    *runtime = new warptune_runtime{wt::Runtime::open_bundle(image, options_of(options))};
  });
}

extern "C" void warptune_close(warptune_runtime* runtime) { delete runtime; }

extern "C" warptune_status warptune_get_kernel(warptune_runtime* runtime, const char* name,
                                               const char* const* types, const char* const* attributes,
                                               warptune_kernel** kernel) {
  return wt::guarded([&] {
    wt::require_argument(runtime, "runtime");
    wt::require_argument(name, "name");
    wt::require_argument(kernel, "kernel");
    wt::KernelOptions options;
    options.attributes = assignments(attributes);
    *kernel = new warptune_kernel{runtime->runtime.kernel(name, assignments(types), options)};
  });
}

extern "C" void warptune_release_kernel(warptune_kernel* kernel) { delete kernel; }

extern "C" warptune_status warptune_launch(const warptune_kernel* kernel, void* stream, const int64_t* dims,
                                           size_t dim_count, void* const* pointers, size_t pointer_count,
                                           warptune_match* match) {
  return wt::guarded([&] {
    wt::require_argument(kernel, "kernel");
    if (pointer_count > 0) wt::require_argument(pointers, "pointers");
    set(match, kernel->kernel.launch(stream_of(stream), dims_of(dims, dim_count),
                                     std::span<void* const>(pointers, pointer_count)));
  });
}

extern "C" warptune_status warptune_prepare(const warptune_kernel* kernel, void* stream, const int64_t* dims,
                                            size_t dim_count, int64_t alignment_bytes) {
  return wt::guarded([&] {
    wt::require_argument(kernel, "kernel");
    kernel->kernel.prepare(stream_of(stream), dims_of(dims, dim_count), alignment_of(alignment_bytes));
  });
}

extern "C" warptune_status warptune_select(const warptune_kernel* kernel, const int64_t* dims,
                                           size_t dim_count, int64_t alignment_bytes,
                                           warptune_selection* selection) {
  return wt::guarded([&] {
    wt::require_argument(kernel, "kernel");
    wt::require_argument(selection, "selection");
    thread_local wt::Selection kept;  // holds the texts
    kept = kernel->kernel.select(dims_of(dims, dim_count), alignment_of(alignment_bytes));
    *selection = {static_cast<warptune_match>(kept.match),
                  kept.config.c_str(),
                  kept.reason.c_str(),
                  kept.log2_distance,
                  kept.expected_ns.value_or(-1),
                  kept.alignment_bytes,
                  kept.other_toolchain ? 1 : 0};
  });
}

extern "C" warptune_status warptune_dot(warptune_runtime* runtime, int element, const void* a, const void* b,
                                        float* y, int64_t n, void* stream, warptune_match* match) {
  return wt::guarded([&] {
    wt::require_argument(runtime, "runtime");
    const auto run = [&]<typename T>(const T* left, const void* right) {
      set(match, wt::dot(runtime->runtime, left, static_cast<const T*>(right), y, n, stream_of(stream)));
    };
    switch (element) {
      case WARPTUNE_F32:
        return run(static_cast<const float*>(a), b);
      case WARPTUNE_F16:
        return run(static_cast<const __half*>(a), b);
      case WARPTUNE_BF16:
        return run(static_cast<const __nv_bfloat16*>(a), b);
    }
    throw Error(ErrorKind::usage, "no element type has the number " + std::to_string(element),
                "WARPTUNE_F32, WARPTUNE_F16 or WARPTUNE_BF16");
  });
}
