// Loaded machine code, one module per image however many kernels it holds. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/device.hpp>

namespace warptune::tuner {

class ModuleCache {
 public:
  explicit ModuleCache(runtime::Device& device) : device_(device) {}

  // Loads the kernel's image unless it is loaded. The function lives until its image is dropped. Errors: cuda, not_found.
  runtime::FunctionHandle function(const runtime::CompiledKernel& kernel);
  // Unloads all images but these.
  void retain_only(const std::set<runtime::Image>& images);

 private:
  runtime::Device& device_;
  std::map<runtime::Image, std::unique_ptr<runtime::LoadedModule>> modules_;
};

}  // namespace warptune::tuner
