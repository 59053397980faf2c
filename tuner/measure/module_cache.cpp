#include "tuner/measure/module_cache.hpp"

namespace warptune::tuner {

runtime::FunctionHandle ModuleCache::function(const runtime::CompiledKernel& kernel) {
  std::unique_ptr<runtime::LoadedModule>& module = modules_[kernel.image];
  if (!module) module = device_.load(*kernel.image);
  return module->function(kernel.lowered_name);
}

void ModuleCache::retain_only(const std::set<runtime::Image>& images) {
  std::erase_if(modules_, [&](const auto& entry) { return !images.contains(entry.first); });
}

}  // namespace warptune::tuner
