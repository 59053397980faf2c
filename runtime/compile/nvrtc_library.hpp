// NVRTC's functions, found at run time. A table is immutable once loaded and safe for concurrent use.
#pragma once

#include <nvrtc.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/compile/cuda_roots.hpp"

namespace warptune::runtime {

struct NvrtcLibrary {
  int major = 0;
  int minor = 0;
  std::uintmax_t file_bytes = 0;  // tells builds of one version apart; 0 when unknown

  decltype(&nvrtcGetErrorString) get_error_string = nullptr;
  decltype(&nvrtcGetNumSupportedArchs) get_num_supported_archs = nullptr;
  decltype(&nvrtcGetSupportedArchs) get_supported_archs = nullptr;
  decltype(&nvrtcCreateProgram) create_program = nullptr;
  decltype(&nvrtcDestroyProgram) destroy_program = nullptr;
  decltype(&nvrtcAddNameExpression) add_name_expression = nullptr;
  decltype(&nvrtcCompileProgram) compile_program = nullptr;
  decltype(&nvrtcGetLoweredName) get_lowered_name = nullptr;
  decltype(&nvrtcGetCUBINSize) get_cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) get_cubin = nullptr;
  decltype(&nvrtcGetPTXSize) get_ptx_size = nullptr;
  decltype(&nvrtcGetPTX) get_ptx = nullptr;
  decltype(&nvrtcGetProgramLogSize) get_program_log_size = nullptr;
  decltype(&nvrtcGetProgramLog) get_program_log = nullptr;
};

// Opens libnvrtc from the roots' folders, else by name; stays loaded for the life of the process.
// Errors: no_device (none found, or one without a needed function), unsupported (older than 12.0).
NvrtcLibrary load_nvrtc(const std::vector<CudaRoot>& roots);

}  // namespace warptune::runtime
