// A config of a template made ready on a device: compiled, loaded, its functions by name expression.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/spec/instance.hpp>

#include "runtime/dispatch/shared_device.hpp"

namespace warptune::runtime {

// Owned by one kernel; changed under its lock.
struct Variant {
  struct Function {
    FunctionHandle handle{};
    spec::KernelTraits traits;
    std::optional<std::vector<std::size_t>> parameter_bytes;  // nothing: the driver does not say
    std::uint32_t allowed_shared_bytes = 48 * 1024;           // dynamic, without asking the driver
  };
  std::map<std::string, Function, std::less<>> functions;  // by entry
  std::vector<std::unique_ptr<LoadedModule>> modules;

  spec::TraitsLookup traits() const;
};

// Compiles (or takes from the disk cache) and loads every entry of `config`; each image once.
// Errors: compile (the first error of the log), no_device (NVRTC), cuda, out_of_memory.
std::unique_ptr<Variant> load_variant(const spec::Instance& instance, const spec::Config& config,
                                      KernelBuilder& builder, SharedDevice& device);

}  // namespace warptune::runtime
