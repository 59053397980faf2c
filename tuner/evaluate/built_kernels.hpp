// The compiled kernels of a template's configs, built in batches and found again by config, and what they say of a config
// before anything is launched. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/spec/instance.hpp>
#include <warptune/tuner/outcome.hpp>

namespace warptune::tuner {

class BuiltKernels {
 public:
  // `architecture`: "sm_90". Builder and instance must outlive this object.
  BuiltKernels(runtime::KernelBuilder& builder, const spec::Instance& instance, std::string architecture);

  // Builds what the configs need and is not built yet. `progress(done, total)` counts kernels, one call at a time.
  void build(std::span<const spec::Config> configs,
             const std::function<void(std::size_t done, std::size_t total)>& progress = {});
  // Whether everything that the config needs was built, well or not.
  bool is_built(const spec::Config& config) const;
  // Results of the config's entries, those that were built, in plan order. Valid while this object lives.
  std::vector<const runtime::CompileResult*> results(const spec::Config& config) const;
  // Null: not built. `prelude`: Instance::prelude().
  const runtime::CompileResult* find(const std::string& prelude, const std::string& entry) const;
  // Traits by entry, of this config's kernels that compiled.
  spec::TraitsLookup traits(const spec::Config& config) const;

  // What is known of a config without a GPU: excluded, does not compile, exceeds a limit of the device. Status ok where nothing
  // speaks against launching it; then it has no times yet. Builds what is missing.
  Outcome judge(const spec::Config& config);

 private:
  // Precondition: the lock is held.
  const runtime::CompileResult* find_locked(const std::string& prelude, const std::string& entry) const;
  // Requests by prelude for what is not built.
  std::map<std::string, runtime::CompileRequest> missing(std::span<const spec::Config> configs) const;

  runtime::KernelBuilder& builder_;
  const spec::Instance& instance_;
  std::string architecture_;
  mutable std::mutex mutex_;
  // By prelude (templates with `defines`), then by entry. Nothing is removed or replaced.
  std::map<std::string, std::map<std::string, runtime::CompileResult>> built_;
};

}  // namespace warptune::tuner
