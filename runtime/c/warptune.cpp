// Runtimes, kernels and launches of warptune.h, each function a thin cover of runtime.hpp.
#include <warptune/runtime/warptune.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <warptune/base/error.hpp>

#include "runtime/c/handles.hpp"
#include "runtime/c/status.hpp"

namespace {

namespace wt = warptune::runtime;
using warptune::Error;
using warptune::ErrorKind;

wt::OnMiss on_miss_of(int given) {
  switch (given) {
    case WARPTUNE_MISS_NEAREST:
      return wt::OnMiss::nearest;
    case WARPTUNE_MISS_DEFAULT:
      return wt::OnMiss::default_config;
    case WARPTUNE_MISS_RECORD:
      return wt::OnMiss::record;
    default:
      throw Error(ErrorKind::usage, "no on_miss has the number " + std::to_string(given),
                  "a warptune_on_miss");
  }
}

wt::RuntimeOptions options_of(const warptune_options* given) {
  wt::RuntimeOptions options;
  if (given == nullptr) return options;
  if (given->cache_folder != nullptr) options.cache_folder = given->cache_folder;
  if (given->nearest_bound_log2 > 0) options.nearest_bound_log2 = given->nearest_bound_log2;
  options.on_miss = on_miss_of(given->on_miss);
  if (given->misses_file != nullptr) options.misses_file = given->misses_file;
  if (given->warn != nullptr)
    options.warn = [warn = given->warn, user = given->user](const std::string& line) {
      warn(line.c_str(), user);
    };
  return options;
}

// Words of a list that ends in a null.
std::vector<std::string> words(const char* const* list) {
  std::vector<std::string> all;
  for (; list != nullptr && *list != nullptr; ++list) all.emplace_back(*list);
  return all;
}

std::map<std::string, std::string> assignments(const char* const* list) {
  std::map<std::string, std::string> values;
  for (const std::string& text : words(list)) {
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

std::int64_t alignment_of(std::int64_t bytes) { return bytes == 0 ? wt::usual_alignment_bytes : bytes; }

wt::KernelOptions kernel_options(const warptune_kernel_options* given) {
  wt::KernelOptions options;
  if (given == nullptr) return options;
  options.attributes = assignments(given->attributes);
  if (given->allowed != nullptr) options.allowed = warptune::spec::Numerics::parse(given->allowed);
  if (given->policies != nullptr) options.policies = words(given->policies);
  return options;
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
                                               const char* const* types,
                                               const warptune_kernel_options* options,
                                               warptune_kernel** kernel) {
  return wt::guarded([&] {
    wt::require_argument(runtime, "runtime");
    wt::require_argument(name, "name");
    wt::require_argument(kernel, "kernel");
    *kernel = new warptune_kernel{runtime->runtime.kernel(name, assignments(types), kernel_options(options))};
  });
}

extern "C" void warptune_release_kernel(warptune_kernel* kernel) { delete kernel; }

extern "C" warptune_status warptune_launch(const warptune_kernel* kernel, void* stream, const int64_t* dims,
                                           size_t dim_count, void* const* pointers, size_t pointer_count,
                                           warptune_match* match) {
  return wt::guarded([&] {
    wt::require_argument(kernel, "kernel");
    if (pointer_count > 0) wt::require_argument(pointers, "pointers");
    wt::set_match(match, kernel->kernel.launch(wt::stream_of(stream), dims_of(dims, dim_count),
                                               std::span<void* const>(pointers, pointer_count)));
  });
}

extern "C" warptune_status warptune_launch_with(const warptune_kernel* kernel, void* stream,
                                                const int64_t* dims, size_t dim_count, void* const* pointers,
                                                size_t pointer_count, const warptune_workspace* workspace,
                                                warptune_match* match) {
  return wt::guarded([&] {
    wt::require_argument(kernel, "kernel");
    wt::require_argument(workspace, "workspace");
    if (pointer_count > 0) wt::require_argument(pointers, "pointers");
    wt::set_match(
        match, kernel->kernel.launch(wt::stream_of(stream), dims_of(dims, dim_count),
                                     std::span<void* const>(pointers, pointer_count), workspace->workspace));
  });
}

extern "C" warptune_status warptune_reserve(const warptune_kernel* kernel, const int64_t* dims,
                                            size_t dim_count, int64_t alignment_bytes,
                                            warptune_workspace** workspace) {
  return wt::guarded([&] {
    wt::require_argument(kernel, "kernel");
    wt::require_argument(workspace, "workspace");
    *workspace = new warptune_workspace{
        kernel->kernel.reserve(dims_of(dims, dim_count), alignment_of(alignment_bytes))};
  });
}

extern "C" void warptune_release_workspace(warptune_workspace* workspace) { delete workspace; }

extern "C" warptune_status warptune_prepare(const warptune_kernel* kernel, void* stream, const int64_t* dims,
                                            size_t dim_count, int64_t alignment_bytes) {
  return wt::guarded([&] {
    wt::require_argument(kernel, "kernel");
    kernel->kernel.prepare(wt::stream_of(stream), dims_of(dims, dim_count), alignment_of(alignment_bytes));
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
                  kept.other_toolchain ? 1 : 0,
                  kept.staleness.c_str(),
                  kept.expected_loss.value_or(-1)};
  });
}
