#include "runtime/dispatch/variant.hpp"

#include <optional>

namespace warptune::runtime {

spec::TraitsLookup Variant::traits() const {
  return [this](const std::string& entry) -> std::optional<spec::KernelTraits> {
    const auto found = functions.find(entry);
    if (found == functions.end()) return std::nullopt;
    return found->second.traits;
  };
}

std::unique_ptr<Variant> load_variant(const ConfigCode& code, SharedDevice& device) {
  auto variant = std::make_unique<Variant>();
  variant->from_ptx = code.from_ptx;
  std::map<const void*, LoadedModule*> loaded;  // by image
  const std::scoped_lock lock(device.mutex);
  for (const auto& kernel : code.kernels) {
    LoadedModule*& module = loaded[kernel->image.get()];
    if (module == nullptr) module = variant->modules.emplace_back(device.device->load(*kernel->image)).get();
    const FunctionHandle function = module->function(kernel->lowered_name);
    variant->functions[kernel->entry] = {function, code.from_ptx ? module->traits(function) : kernel->traits};
  }
  return variant;
}

}  // namespace warptune::runtime
