// Kernels of a template's configs on a device: built, and loaded when first asked for. One thread at a time.
#pragma once

#include <span>

#include <warptune/runtime/device.hpp>

#include "tuner/evaluate/built_kernels.hpp"
#include "tuner/measure/bound_plan.hpp"
#include "tuner/measure/module_cache.hpp"

namespace warptune::tuner {

class CandidateKernels {
 public:
  CandidateKernels(runtime::Device& device, runtime::KernelBuilder& builder, const spec::Instance& instance);

  BuiltKernels& built() { return built_; }
  // Traits by entry, and functions that load when first asked. Valid while this object lives.
  KernelSet kernels(const spec::Config& config);
  // Unloads the modules of all other configs.
  void retain_only(std::span<const spec::Config> configs);

 private:
  const spec::Instance& instance_;
  BuiltKernels built_;
  ModuleCache modules_;
};

}  // namespace warptune::tuner
