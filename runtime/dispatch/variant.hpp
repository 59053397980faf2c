// A config of a template made ready on a device: its kernels by name expression.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include <warptune/spec/instance.hpp>

#include "runtime/dispatch/config_code.hpp"
#include "runtime/dispatch/loaded_kernels.hpp"
#include "runtime/dispatch/shared_device.hpp"

namespace warptune::runtime {

// Immutable, but for what its kernels say is allowed.
struct Variant {
  std::map<std::string, LoadedKernel*, std::less<>> kernels;  // by entry
  bool from_ptx = false;

  spec::TraitsLookup traits() const;
};

// Errors: as LoadedKernels::load().
std::unique_ptr<Variant> load_variant(const ConfigCode& code, LoadedKernels& loaded, SharedDevice& device);

}  // namespace warptune::runtime
