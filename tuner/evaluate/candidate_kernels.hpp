// The compiled kernels of a template's configs, built in batches and found again by config. One thread at a time.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <warptune/runtime/device.hpp>
#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/spec/instance.hpp>

#include "tuner/measure/bound_plan.hpp"
#include "tuner/measure/module_cache.hpp"

namespace warptune::tuner {

class CandidateKernels {
 public:
  CandidateKernels(runtime::Device& device, runtime::KernelBuilder& builder, const spec::Instance& instance);

  // Builds what the configs need and is not built yet. `progress(done, total)` counts kernels.
  void build(std::span<const spec::Config> configs,
             const std::function<void(std::size_t done, std::size_t total)>& progress);
  // The first kernel of the config that does not compile; null when all do. Precondition: built.
  const runtime::CompileResult* failure(const spec::Config& config) const;
  // Traits by entry, and functions that load when first asked. Valid while this object lives.
  KernelSet kernels(const spec::Config& config);
  // Traits of the config's largest kernel by registers.
  spec::KernelTraits largest(const spec::Config& config) const;
  // Unloads the modules of all other configs.
  void retain_only(std::span<const spec::Config> configs);

 private:
  const runtime::CompileResult* find(const std::string& prelude, const std::string& entry) const;
  // Results of the config's entries, those that were built, in plan order.
  std::vector<const runtime::CompileResult*> built(const spec::Config& config) const;

  runtime::Device& device_;
  runtime::KernelBuilder& builder_;
  const spec::Instance& instance_;
  ModuleCache modules_;
  // By prelude (templates with `defines`), then by entry.
  std::map<std::string, std::map<std::string, runtime::CompileResult>> built_;
};

}  // namespace warptune::tuner
