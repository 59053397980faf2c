// What a bundle gives the runtime: templates, machine code that was checked, and the cover. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/db/bundle.hpp>
#include <warptune/runtime/compiler.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/spec/instance.hpp>

namespace warptune::runtime {

// Code of one config, or why there is none.
struct BundledCode {
  std::vector<std::shared_ptr<const CompiledKernel>> kernels;  // one per entry; none: `missing` says why
  std::string missing;
  bool damaged = false;  // it is there, but does not fit its hash or cannot be read
};

class Bundle {
 public:
  explicit Bundle(db::BundleReader reader) : reader_(std::move(reader)), info_(reader_.info()) {}

  const db::BundleInfo& info() const { return info_; }
  // Calls `read` with the file's rows, while nobody else uses it. Errors: those of `read`.
  void read(const std::function<void(const db::Store&)>& read) const;

  // Null where the bundle has no such kernel, or where it is damaged: then `fault` is set too. Never throws for the bundle's
  // sake.
  spec::TemplatePtr find_template(const std::string& kernel, std::string& fault) const;
  // `architecture`: "sm_90"; empty: PTX for the driver to compile, whose traits are not known.
  BundledCode code(const spec::Instance& instance, const spec::Config& config,
                   const std::string& architecture) const;
  // Rows of the kernel on the instance's device. Empty where they cannot be read.
  std::vector<db::CoverRow> cover(const spec::Instance& instance) const;

 private:
  // One kernel; as code(). The same object for the same key. Precondition: the lock is held.
  std::shared_ptr<const CompiledKernel> kernel(const db::BundledKernelKey& key, BundledCode& code) const;

  mutable std::mutex mutex_;  // around reader_ and kernels_
  db::BundleReader reader_;
  mutable std::map<db::BundledKernelKey, std::shared_ptr<const CompiledKernel>> kernels_;  // that were given
  const db::BundleInfo info_;
};

}  // namespace warptune::runtime
