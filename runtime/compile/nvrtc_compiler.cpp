#include "runtime/compile/nvrtc_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include <warptune/base/error.hpp>
#include <warptune/base/file.hpp>
#include <warptune/base/hash.hpp>

#include "runtime/compile/compile_log.hpp"
#include "runtime/compile/cubin.hpp"

namespace warptune::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view virtual_prefix = "compute_";

// The headers without which no template of half precision compiles.
constexpr const char* half_header = "cuda_fp16.h";
constexpr const char* target_header = "nv/target";

// The toolkit's headers that kernels include; NVRTC itself supplies the rest. The two last stand for whole libraries, whose
// version they hold.
constexpr const char* hashed_headers[] = {half_header,
                                          "cuda_fp16.hpp",
                                          "cuda_bf16.h",
                                          "cuda_bf16.hpp",
                                          "cuda_fp8.h",
                                          "cuda_fp8.hpp",
                                          "cuda_fp6.h",
                                          "cuda_fp6.hpp",
                                          "cuda_fp4.h",
                                          "cuda_fp4.hpp",
                                          "vector_types.h",
                                          "mma.h",
                                          "crt/mma.h",
                                          "crt/mma.hpp",
                                          "crt/host_defines.h",
                                          target_header,
                                          "cuda.h",
                                          "cooperative_groups.h",
                                          "cuda/std/__cccl/version.h"};

// The first root with the half-precision headers, which need nv/target beside them.
const CudaRoot& root_with_headers(const std::vector<CudaRoot>& roots) {
  for (const CudaRoot& root : roots) {
    bool half = false, target = false;
    for (const fs::path& folder : root.include_folders) {
      std::error_code ignored;
      half = half || fs::exists(folder / half_header, ignored);
      target = target || fs::exists(folder / target_header, ignored);
    }
    if (half && target) return root;
  }
  throw Error(ErrorKind::no_device, "CUDA's headers (cuda_fp16.h, nv/target) are not on this machine",
              "install the CUDA toolkit 12 or 13, or the wheels nvidia-cuda-runtime, nvidia-cuda-crt and "
              "nvidia-cuda-cccl, or "
              "set CUDA_HOME");
}

std::string hash_headers(const CudaRoot& root) {
  Hasher hasher;
  for (const char* name : hashed_headers) {
    for (const fs::path& folder : root.include_folders) {
      std::error_code ignored;
      if (!fs::exists(folder / name, ignored)) continue;
      hasher.field(name).field(read_file(folder / name));
      break;
    }
  }
  return hasher.hex();
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

}  // namespace

// Destroys the program on every way out.
struct NvrtcCompiler::Program {
  const NvrtcLibrary& nvrtc;
  nvrtcProgram handle = nullptr;
  std::string log;
  ~Program() {
    if (handle != nullptr) nvrtc.destroy_program(&handle);
  }
};

NvrtcCompiler::NvrtcCompiler(const std::vector<CudaRoot>& roots) : nvrtc_(load_nvrtc(roots)) {
  version_ = fmt::format("{}.{}", nvrtc_.major, nvrtc_.minor);
  const CudaRoot& root = root_with_headers(roots);
  headers_hash_ = hash_headers(root);
  for (const fs::path& folder : root.include_folders)
    include_options_.push_back("--include-path=" + folder.string());
  int count = 0;
  check(nvrtc_.get_num_supported_archs(&count), "nvrtcGetNumSupportedArchs");
  architectures_.resize(static_cast<std::size_t>(count));
  check(nvrtc_.get_supported_archs(architectures_.data()), "nvrtcGetSupportedArchs");
}

void NvrtcCompiler::check(nvrtcResult result, const char* call) const {
  if (result == NVRTC_SUCCESS) return;
  throw Error(result == NVRTC_ERROR_OUT_OF_MEMORY ? ErrorKind::out_of_memory : ErrorKind::nvrtc,
              fmt::format("{} failed: {}", call, nvrtc_.get_error_string(result)),
              "check the NVRTC installation", result);
}

std::string NvrtcCompiler::identity() const {
  return fmt::format("nvrtc {} of {} bytes, headers {}", version_, nvrtc_.file_bytes, headers_hash_);
}

bool NvrtcCompiler::supports(const std::string& architecture) const {
  return std::any_of(architectures_.begin(), architectures_.end(), [&](int known) {
    return architecture == fmt::format("sm_{}", known) ||
           architecture == fmt::format("{}{}", virtual_prefix, known);
  });
}

nvrtcResult NvrtcCompiler::run(Program& program, const CompileRequest& request,
                               const std::vector<std::string>& entries) const {
  std::vector<std::string> header_names, header_contents;
  for (const auto& [name, content] : request.headers) {
    header_names.push_back(name);
    header_contents.push_back(content);
  }
  check(nvrtc_.create_program(&program.handle, request.source.c_str(), request.program_name.c_str(),
                              static_cast<int>(header_names.size()), pointers_to(header_contents).data(),
                              pointers_to(header_names).data()),
        "nvrtcCreateProgram");
  for (const std::string& entry : entries) {
    check(nvrtc_.add_name_expression(program.handle, entry.c_str()), "nvrtcAddNameExpression");
  }
  std::vector<std::string> options{"--std=c++17", "--gpu-architecture=" + request.architecture};
  options.insert(options.end(), include_options_.begin(), include_options_.end());
  options.insert(options.end(), request.options.begin(), request.options.end());
  const nvrtcResult result =
      nvrtc_.compile_program(program.handle, static_cast<int>(options.size()), pointers_to(options).data());

  std::size_t log_size = 0;
  check(nvrtc_.get_program_log_size(program.handle, &log_size), "nvrtcGetProgramLogSize");
  program.log.resize(log_size);
  check(nvrtc_.get_program_log(program.handle, program.log.data()), "nvrtcGetProgramLog");
  std::erase(program.log, '\0');  // also between ptxas's notes and its errors

  switch (result) {
    case NVRTC_ERROR_INVALID_OPTION:
      throw Error(ErrorKind::bad_input,
                  fmt::format("an option of {} is refused: {}", request.program_name,
                              first_error(program.log, "nvrtc")),
                  "correct the manifest's options", result);
    case NVRTC_ERROR_BUILTIN_OPERATION_FAILURE:
      throw Error(ErrorKind::no_device,
                  "NVRTC cannot load its builtins (libnvrtc-builtins.so), which lie beside it",
                  "reinstall NVRTC, or set CUDA_HOME to a complete toolkit", result);
    case NVRTC_ERROR_OUT_OF_MEMORY:
      throw Error(ErrorKind::out_of_memory, "out of memory while compiling " + request.program_name,
                  "compile with fewer threads", result);
    default:
      return result;
  }
}

std::vector<CompileResult> NvrtcCompiler::compile(const CompileRequest& request) {
  require_support(*this, request.architecture);
  Program program{nvrtc_, nullptr, {}};
  const nvrtcResult result = run(program, request, request.entries);
  std::vector<CompileResult> results;
  if (result != NVRTC_SUCCESS) {
    const std::string error = program.log.empty() ? nvrtc_.get_error_string(result)
                                                  : first_error(program.log, request.program_name);
    bool source_fails = false;  // without any entry too: then no other batch of the source can do better
    if (request.entries.size() > 1 && result == NVRTC_ERROR_COMPILATION) {
      Program bare{nvrtc_, nullptr, {}};
      source_fails = run(bare, request, {}) != NVRTC_SUCCESS;
    }
    for (const std::string& entry : request.entries) {
      results.push_back({entry, nullptr, error, program.log, false, source_fails});
    }
    return results;
  }
  const bool ptx = request.architecture.starts_with(virtual_prefix);
  std::size_t size = 0;
  check(ptx ? nvrtc_.get_ptx_size(program.handle, &size) : nvrtc_.get_cubin_size(program.handle, &size),
        ptx ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize");
  auto image = std::make_shared<std::vector<std::byte>>(size);
  char* const bytes = reinterpret_cast<char*>(image->data());
  check(ptx ? nvrtc_.get_ptx(program.handle, bytes) : nvrtc_.get_cubin(program.handle, bytes),
        ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN");
  const auto traits = cubin_kernels(*image);
  for (const std::string& entry : request.entries) {
    const char* lowered = nullptr;
    check(nvrtc_.get_lowered_name(program.handle, entry.c_str(), &lowered), "nvrtcGetLoweredName");
    auto kernel = std::make_shared<CompiledKernel>(CompiledKernel{entry, lowered, image, {}});
    const auto found = traits.find(kernel->lowered_name);
    if (found != traits.end()) kernel->traits = found->second;
    results.push_back({entry, std::move(kernel), {}, program.log, false, false});
  }
  return results;
}

std::shared_ptr<Compiler> open_nvrtc() { return std::make_shared<NvrtcCompiler>(cuda_roots()); }

void require_support(const Compiler& compiler, const std::string& architecture) {
  if (compiler.supports(architecture)) return;
  throw Error(ErrorKind::unsupported,
              fmt::format("NVRTC {} cannot compile for {}", compiler.version(), architecture),
              "install a CUDA toolkit whose NVRTC knows this GPU, and set CUDA_HOME to it");
}

CompileRequest compile_request(const spec::Instance& instance, const spec::Config& config,
                               const std::string& architecture) {
  const spec::TemplateSpec& spec = instance.spec();
  CompileRequest request;
  request.program_name = spec.source_path.filename().string();
  const std::string prelude = instance.prelude(config);
  // Lines of the template keep their numbers in messages.
  if (!prelude.empty()) request.source = fmt::format("{}\n#line 1 \"{}\"\n", prelude, request.program_name);
  request.source += spec.source;
  request.entries = instance.entries(config);
  request.options = spec.options;
  request.headers = spec.headers;
  request.architecture = architecture;
  return request;
}

}  // namespace warptune::runtime
