// What the opaque handles of warptune.h hold. Included by the sources of the C interface, and by tests that open a runtime of
// their own.
#pragma once

#include <warptune/runtime/warptune.h>
#include <warptune/runtime/runtime.hpp>

struct warptune_runtime {
  warptune::runtime::Runtime runtime;
};

struct warptune_kernel {
  warptune::runtime::Kernel kernel;
};

struct warptune_workspace {
  warptune::runtime::Workspace workspace;
};
