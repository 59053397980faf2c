#include "runtime/compile/cuda_roots.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>

namespace warptune::runtime {
namespace {

namespace fs = std::filesystem;

void add_folder(std::vector<fs::path>& folders, const fs::path& folder) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) folders.push_back(folder);
}

// Folders of `parent` in name order; none when it cannot be read.
std::vector<fs::path> subfolders(const fs::path& parent) {
  std::vector<fs::path> found;
  std::error_code code;
  for (fs::directory_iterator at(parent, code), end; !code && at != end; at.increment(code)) {
    std::error_code ignored;
    if (at->is_directory(ignored)) found.push_back(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

CudaRoot root_at(const fs::path& prefix) {
  CudaRoot root{prefix, {}, {}};
  add_folder(root.library_folders, prefix / "lib64");
  add_folder(root.library_folders, prefix / "lib");
  add_folder(root.include_folders, prefix / "include");
  add_folder(root.include_folders, prefix / "include/cccl");
  for (const fs::path& target : subfolders(prefix / "targets")) {  // x86_64-linux, sbsa-linux
    add_folder(root.library_folders, target / "lib");
    add_folder(root.include_folders, target / "include");
    add_folder(root.include_folders, target / "include/cccl");
  }
  for (const fs::path& python : subfolders(prefix / "lib")) {
    if (!python.filename().string().starts_with("python3")) continue;
    // CUDA 13's wheels share one folder (nvidia/cu13), CUDA 12's have one each (nvidia/cuda_nvrtc, nvidia/cuda_runtime).
    for (const fs::path& wheel : subfolders(python / "site-packages/nvidia")) {
      add_folder(root.library_folders, wheel / "lib");
      add_folder(root.include_folders, wheel / "include");
      add_folder(root.include_folders, wheel / "include/cccl");
    }
  }
  return root;
}

}  // namespace

std::vector<CudaRoot> cuda_roots() {
  std::vector<fs::path> prefixes;
  const auto add = [&prefixes](const char* value) {
    if (value != nullptr && *value != '\0') prefixes.emplace_back(value);
  };
  add(std::getenv("WARPTUNE_CUDA_HOME"));
  if (prefixes.empty()) {
    add(std::getenv("CUDA_HOME"));
    add(std::getenv("CUDA_PATH"));
    add("/usr/local/cuda");
    add(std::getenv("VIRTUAL_ENV"));
    add(std::getenv("CONDA_PREFIX"));
  }
  std::vector<CudaRoot> roots;
  for (const fs::path& prefix : prefixes) {
    CudaRoot root = root_at(prefix);
    if (!root.library_folders.empty() || !root.include_folders.empty()) roots.push_back(std::move(root));
  }
  return roots;
}

}  // namespace warptune::runtime
