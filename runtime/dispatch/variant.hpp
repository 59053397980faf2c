// A config of a template made ready on a device: compiled, loaded, its functions by name expression.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <warptune/runtime/device.hpp>
#include <warptune/spec/instance.hpp>

#include "runtime/dispatch/config_code.hpp"
#include "runtime/dispatch/shared_device.hpp"

namespace warptune::runtime {

// Owned by one kernel; changed under its lock.
struct Variant {
  struct Function {
    FunctionHandle handle{};
    spec::KernelTraits traits;
    std::uint32_t allowed_shared_bytes = 48 * 1024;  // dynamic, without asking the driver
  };
  std::map<std::string, Function, std::less<>> functions;  // by entry
  std::vector<std::unique_ptr<LoadedModule>> modules;
  bool from_ptx = false;

  spec::TraitsLookup traits() const;
};

// Loads each image once and finds every kernel in it. Errors: not_found, bad_input (image), cuda, out_of_memory.
std::unique_ptr<Variant> load_variant(const ConfigCode& code, SharedDevice& device);

}  // namespace warptune::runtime
