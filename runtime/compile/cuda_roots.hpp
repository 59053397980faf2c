// Where a CUDA toolkit, or the vendor's wheels, may lie on this machine. Reads the environment; thread-safe.
#pragma once

#include <filesystem>
#include <vector>

namespace warptune::runtime {

// One place to look: folders that may hold libraries, and folders that may hold headers. Only existing ones are listed.
struct CudaRoot {
  std::filesystem::path prefix;
  std::vector<std::filesystem::path> library_folders;
  std::vector<std::filesystem::path> include_folders;
};

// In order: WARPTUNE_CUDA_HOME (when set, nothing else), CUDA_HOME, CUDA_PATH, the usual prefix, VIRTUAL_ENV, CONDA_PREFIX.
std::vector<CudaRoot> cuda_roots();

}  // namespace warptune::runtime
