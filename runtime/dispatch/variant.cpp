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

std::unique_ptr<Variant> load_variant(const spec::Instance& instance, const spec::Config& config,
                                      KernelBuilder& builder, SharedDevice& device) {
  CompileRequest request = compile_request(instance, config, device.device->info().architecture());
  request.entries = instance.entries(config);
  const std::vector<CompileResult> results = builder.build(request);
  for (const CompileResult& result : results) {
    if (result.kernel == nullptr)
      throw Error(ErrorKind::compile, result.entry + " does not compile: " + result.error);
  }

  auto variant = std::make_unique<Variant>();
  std::map<const void*, LoadedModule*> loaded;  // by image
  const std::scoped_lock lock(device.mutex);
  for (const CompileResult& result : results) {
    const CompiledKernel& kernel = *result.kernel;
    LoadedModule*& module = loaded[kernel.image.get()];
    if (module == nullptr) module = variant->modules.emplace_back(device.device->load(*kernel.image)).get();
    variant->functions[result.entry] = {module->function(kernel.lowered_name), kernel.traits,
                                        module->parameter_bytes(kernel.lowered_name)};
  }
  return variant;
}

}  // namespace warptune::runtime
