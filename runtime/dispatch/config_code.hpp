// The code of one config, from wherever it came. Plain data.
#pragma once

#include <memory>
#include <vector>

#include <warptune/runtime/compiler.hpp>

namespace warptune::runtime {

struct ConfigCode {
  std::vector<std::shared_ptr<const CompiledKernel>> kernels;  // one per entry
  bool from_ptx = false;  // the driver compiles it when it is loaded; `traits` are not known before
};

}  // namespace warptune::runtime
