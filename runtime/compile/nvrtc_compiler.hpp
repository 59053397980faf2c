// NVRTC behind the Compiler seam. Thread-safe: NVRTC is, and each call has a program of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <warptune/runtime/compiler.hpp>

#include "runtime/compile/nvrtc_library.hpp"

namespace warptune::runtime {

class NvrtcCompiler : public Compiler {
 public:
  // Errors: no_device (no NVRTC, no headers), unsupported (NVRTC too old), nvrtc.
  explicit NvrtcCompiler(const std::vector<CudaRoot>& roots);

  // Errors: unsupported (architecture), bad_input (an option that NVRTC refuses), out_of_memory, no_device (NVRTC's builtins
  // are not beside it), nvrtc.
  std::vector<CompileResult> compile(const CompileRequest& request) override;
  std::string identity() const override;
  std::string version() const override { return version_; }
  std::string headers_hash() const override { return headers_hash_; }
  bool supports(const std::string& architecture) const override;

 private:
  struct Program;

  void check(nvrtcResult result, const char* call) const;
  // Compiles `entries` of the request; throws where not the source but the environment or an option is at fault.
  nvrtcResult run(Program& program, const CompileRequest& request,
                  const std::vector<std::string>& entries) const;

  NvrtcLibrary nvrtc_;
  std::string version_;
  std::string headers_hash_;
  std::vector<std::string> include_options_;
  std::vector<int> architectures_;
};

}  // namespace warptune::runtime
