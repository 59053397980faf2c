#include "runtime/compile/nvrtc_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include <warptune/base/error.hpp>

namespace warptune::runtime {
namespace {

namespace fs = std::filesystem;

constexpr const char* library_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
constexpr int oldest_major = 12;
constexpr const char* install_hint =
    "install the CUDA toolkit 12 or 13, or the wheels nvidia-cuda-nvrtc and nvidia-cuda-runtime into the "
    "active Python "
    "environment, or set CUDA_HOME";

// NVRTC opens its builtins by bare name, which fails for a library that was itself opened by path: load them first.
void load_builtins(const fs::path& folder) {
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with("libnvrtc-builtins.so.") && name.find(".alt.") == std::string::npos) {
      ::dlopen(at->path().c_str(), RTLD_NOW | RTLD_GLOBAL);
    }
  }
}

void* open_library(const std::vector<CudaRoot>& roots) {
  for (const CudaRoot& root : roots) {
    for (const fs::path& folder : root.library_folders) {
      for (const char* name : library_names) {
        std::error_code ignored;
        if (!fs::exists(folder / name, ignored)) continue;
        load_builtins(folder);
        if (void* library = ::dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
      }
    }
  }
  for (const char* name : library_names) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  throw Error(ErrorKind::no_device, "NVRTC (libnvrtc.so.13 or .12) is not on this machine", install_hint);
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  void* symbol = ::dlsym(library, name);
  if (symbol == nullptr) {
    throw Error(ErrorKind::no_device, fmt::format("the NVRTC found lacks {}: it is too old or damaged", name),
                install_hint);
  }
  function = reinterpret_cast<Function>(symbol);
}

}  // namespace

NvrtcLibrary load_nvrtc(const std::vector<CudaRoot>& roots) {
  void* library = open_library(roots);
  NvrtcLibrary table;
  find(library, "nvrtcGetErrorString", table.get_error_string);
  decltype(&nvrtcVersion) version = nullptr;
  find(library, "nvrtcVersion", version);
  if (version(&table.major, &table.minor) != NVRTC_SUCCESS || table.major < oldest_major) {
    throw Error(ErrorKind::unsupported,
                fmt::format("NVRTC {}.{} is too old: warptune needs 12.0 or newer", table.major, table.minor),
                install_hint);
  }
  if (Dl_info where{};
      ::dladdr(reinterpret_cast<void*>(version), &where) != 0 && where.dli_fname != nullptr) {
    std::error_code ignored;
    const std::uintmax_t bytes = fs::file_size(where.dli_fname, ignored);
    if (!ignored) table.file_bytes = bytes;
  }
  find(library, "nvrtcGetNumSupportedArchs", table.get_num_supported_archs);
  find(library, "nvrtcGetSupportedArchs", table.get_supported_archs);
  find(library, "nvrtcCreateProgram", table.create_program);
  find(library, "nvrtcDestroyProgram", table.destroy_program);
  find(library, "nvrtcAddNameExpression", table.add_name_expression);
  find(library, "nvrtcCompileProgram", table.compile_program);
  find(library, "nvrtcGetLoweredName", table.get_lowered_name);
  find(library, "nvrtcGetCUBINSize", table.get_cubin_size);
  find(library, "nvrtcGetCUBIN", table.get_cubin);
  find(library, "nvrtcGetPTXSize", table.get_ptx_size);
  find(library, "nvrtcGetPTX", table.get_ptx);
  find(library, "nvrtcGetProgramLogSize", table.get_program_log_size);
  find(library, "nvrtcGetProgramLog", table.get_program_log);
  return table;
}

}  // namespace warptune::runtime
