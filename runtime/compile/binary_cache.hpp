// Compiled kernels on disk. One small key file per kernel, one blob per compiled program; both are published by rename and
// checked by their hash when loaded. Any number of threads and processes may share a folder. Never throws: a cache that
// cannot be read or written is only slower.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/kernel_builder.hpp>

namespace warptune::runtime {

class BinaryCache {
 public:
  // `folder` empty: nothing is kept.
  explicit BinaryCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Hash of all that the entry's machine code depends on. `identity`: of the compiler and its headers.
  static std::string key(const CompileRequest& request, const std::string& entry,
                         const std::string& identity);

  // Null: not there, or damaged (then removed).
  std::shared_ptr<const CompiledKernel> load(const std::string& key, const std::string& entry);
  // Removes kernels that were not loaded or stored for `unused_s` seconds, and binaries that no kernel needs.
  // With `dry_run` it only counts.
  CachePruned prune(std::int64_t unused_s, bool dry_run) const;
  // Kernels of one program, with their keys.
  void store(const std::vector<std::string>& keys, const std::vector<CompileResult>& results) const;

 private:
  std::filesystem::path key_path(const std::string& key) const;
  std::filesystem::path blob_path(const std::string& hash) const;

  // Null: not there, or damaged (then removed). Kernels of one program share one image.
  Image image(const std::string& hash);

  std::filesystem::path folder_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const std::vector<std::byte>>> images_;  // by hash
};

}  // namespace warptune::runtime
