// Kernels on the device, each image loaded once however many configs use it. Under SharedDevice::mutex.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/device.hpp>

namespace warptune::runtime {

// Lives as long as the table that it is in. `handle` and `traits` never change.
struct LoadedKernel {
  FunctionHandle handle{};
  spec::KernelTraits traits;
  std::optional<std::vector<std::size_t>> parameter_bytes;  // nothing: the driver does not say
  // Dynamic shared memory that the driver allows; the largest that any config asked for.
  std::uint32_t allowed_shared_bytes = 48 * 1024;
};

class LoadedKernels {
 public:
  // `from_ptx`: its traits are the driver's. Errors: not_found, bad_input (image), cuda, out_of_memory.
  LoadedKernel& load(const CompiledKernel& kernel, bool from_ptx, Device& device);

 private:
  struct Loaded {
    Image image;  // holds its place: no other image may come to lie there
    std::unique_ptr<LoadedModule> module;
    std::map<std::string, LoadedKernel> kernels;  // by lowered name
  };
  std::map<const void*, Loaded> images_;  // by where the image lies
};

}  // namespace warptune::runtime
