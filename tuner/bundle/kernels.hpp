// The kernels of a bundle: which ones, and compiling them one by one, so that each image holds one kernel. Calls from one
// thread; the compiler is used from several.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <warptune/db/bundle.hpp>
#include <warptune/runtime/compiler.hpp>

#include "tuner/bundle/content.hpp"

namespace warptune::tuner {

// One kernel to compile. `request.entries` has one entry.
struct KernelJob {
  runtime::CompileRequest request;
  std::string template_hash, prelude;
  bool as_ptx = false;  // for the lowest architecture that the compiler knows and the kernel compiles for
};

struct JobOptions {
  std::vector<std::string>
      architectures;  // for which defaults get machine code, beside those of the tuned GPUs
  bool tuned_types_only =
      false;  // defaults for the types of winners alone, not for all that the manifest allows
};

// Each kernel once: of winners and covers for the architecture of their GPU, of each default for all architectures and as PTX.
std::vector<KernelJob> kernel_jobs(const BundleContent& content, const JobOptions& options);

// In the order of the jobs. `progress`: how many are done, never two calls at once. Errors: compile (which kernel, and the first
// error of its log), unsupported (an architecture), and what the compiler throws.
std::vector<db::BundledKernel> compile_jobs(const std::vector<KernelJob>& jobs, runtime::Compiler& compiler,
                                            const std::function<void(std::size_t done)>& progress);

}  // namespace warptune::tuner
