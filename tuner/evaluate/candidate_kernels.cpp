#include "tuner/evaluate/candidate_kernels.hpp"

#include <set>

#include <warptune/base/error.hpp>

namespace warptune::tuner {

CandidateKernels::CandidateKernels(runtime::Device& device, runtime::KernelBuilder& builder,
                                   const spec::Instance& instance)
    : instance_(instance), built_(builder, instance, device.info().architecture()), modules_(device) {}

KernelSet CandidateKernels::kernels(const spec::Config& config) {
  KernelSet set;
  set.traits = built_.traits(config);
  set.function = [this, prelude = instance_.prelude(config)](const std::string& entry) {
    const runtime::CompileResult* result = built_.find(prelude, entry);
    if (result == nullptr || !result->kernel) {
      throw Error(ErrorKind::internal, "kernel " + entry + " was not built before it was needed");
    }
    return modules_.function(*result->kernel);
  };
  return set;
}

void CandidateKernels::retain_only(std::span<const spec::Config> configs) {
  std::set<runtime::Image> kept;
  for (const spec::Config& config : configs) {
    for (const runtime::CompileResult* result : built_.results(config)) {
      if (result->kernel) kept.insert(result->kernel->image);
    }
  }
  modules_.retain_only(kept);
}

}  // namespace warptune::tuner
