#include "runtime/dispatch/variant.hpp"

#include <optional>

namespace warptune::runtime {

spec::TraitsLookup Variant::traits() const {
  return [this](const std::string& entry) -> std::optional<spec::KernelTraits> {
    const auto found = kernels.find(entry);
    if (found == kernels.end()) return std::nullopt;
    return found->second->traits;
  };
}

std::unique_ptr<Variant> load_variant(const ConfigCode& code, LoadedKernels& loaded, SharedDevice& device) {
  auto variant = std::make_unique<Variant>();
  variant->from_ptx = code.from_ptx;
  const std::scoped_lock lock(device.mutex);
  for (const auto& kernel : code.kernels)
    variant->kernels[kernel->entry] = &loaded.load(*kernel, code.from_ptx, *device.device);
  return variant;
}

}  // namespace warptune::runtime
