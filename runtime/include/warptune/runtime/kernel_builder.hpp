// Builds many kernels: disk cache first, then batches of entries on threads; a batch that fails is split until the culprit
// stands alone. Thread-safe.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <warptune/runtime/compiler.hpp>

namespace warptune::runtime {

struct BuilderOptions {
  std::filesystem::path cache_folder;  // empty: no disk cache
  int threads = 0;                     // 0: one per core
  int batch = 24;                      // entries per program at most
};

struct BuildCounts {
  std::int64_t compiled = 0;  // entries compiled now
  std::int64_t cached = 0;    // entries found on disk
  std::int64_t failed = 0;
};

class KernelBuilder {
 public:
  KernelBuilder(std::shared_ptr<Compiler> compiler, BuilderOptions options);
  ~KernelBuilder();

  // One result per entry, in order. Duplicate entries are compiled once. `progress` is called with the number of finished
  // entries, from any thread, never concurrently. Errors: what the compiler throws.
  std::vector<CompileResult> build(const CompileRequest& request,
                                   const std::function<void(std::size_t done)>& progress = {});
  BuildCounts counts() const;
  const Compiler& compiler() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// $WARPTUNE_CACHE_DIR, else $XDG_CACHE_HOME/warptune, else ~/.cache/warptune.
std::filesystem::path default_cache_folder();

// What was removed from a cache folder, or would be.
struct CachePruned {
  std::int64_t kernels = 0, binaries = 0, bytes = 0;
};
// Removes compiled kernels that nobody used for `unused_s` seconds, and the binaries that only they needed. Safe
// beside processes that use the folder. What cannot be removed stays. `folder` empty: nothing.
CachePruned prune_cache(const std::filesystem::path& folder, std::int64_t unused_s, bool dry_run);

}  // namespace warptune::runtime
