#include "runtime/dispatch/loaded_kernels.hpp"

#include <utility>

namespace warptune::runtime {

LoadedKernel& LoadedKernels::load(const CompiledKernel& kernel, bool from_ptx, Device& device) {
  auto image = images_.find(kernel.image.get());
  if (image == images_.end()) {
    Loaded loaded{kernel.image, device.load(*kernel.image), {}};
    image = images_.emplace(kernel.image.get(), std::move(loaded)).first;
  }
  Loaded& loaded = image->second;
  const auto known = loaded.kernels.find(kernel.lowered_name);
  if (known != loaded.kernels.end()) return known->second;
  LoadedKernel made;
  made.handle = loaded.module->function(kernel.lowered_name);
  made.traits = from_ptx ? loaded.module->traits(made.handle) : kernel.traits;
  made.parameter_bytes = loaded.module->parameter_bytes(kernel.lowered_name);
  return loaded.kernels.emplace(kernel.lowered_name, made).first->second;
}

}  // namespace warptune::runtime
