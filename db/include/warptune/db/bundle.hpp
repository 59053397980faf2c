// Bundles: databases that also hold machine code and templates, so that an application needs neither toolkit nor template
// files. Reader and writer belong to one thread at a time. See db/SCHEMA.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <warptune/base/temporary_folder.hpp>
#include <warptune/db/store.hpp>

namespace warptune::db {

// Who made the machine code.
struct BundleInfo {
  std::string warptune_version, nvrtc_version, headers_hash;
  std::int64_t made_unix_s = 0;
};

// A template's texts; names are those of files, without folders.
struct BundledTemplate {
  std::string kernel, template_hash;
  std::string manifest_name, manifest;
  std::string source_name, source;
  std::map<std::string, std::string> headers;  // by name as included
};

// What a kernel's machine code depends on.
struct BundledKernelKey {
  std::string template_hash;
  std::string entry;         // name expression
  std::string architecture;  // "sm_90": machine code; "compute_75": PTX
  std::string prelude;       // text before the source; empty for most templates
  friend auto operator<=>(const BundledKernelKey&, const BundledKernelKey&) = default;
};

struct BundledKernel {
  BundledKernelKey key;
  std::string lowered_name;
  int registers = 0, local_bytes = 0, static_shared_bytes = 0, max_threads_per_block = 1024;
  std::string image_hash;  // hash_hex() of the bytes when they were written
  std::vector<std::byte> image;
};

// The config of a bundle's cover that serves a tuned problem and alignment class best.
struct CoverRow {
  ProblemKey problem;
  int alignment_bytes = 1;
  NamedValues config;
  double loss = 0;  // its time / the winner's - 1
};

class BundleReader {
 public:
  // Precondition: store.is_bundle(). Errors: unsupported (of a later warptune), database.
  explicit BundleReader(Store store);

  const Store& store() const { return store_; }
  const BundleInfo& info() const { return info_; }
  // Nothing where the bundle has no such kernel. Errors of this and the following: database (damaged).
  std::optional<BundledTemplate> find_template(const std::string& kernel) const;
  // The image as it is stored: whether it fits its hash is for the caller to see. Nothing where there is none. An empty
  // `key.architecture` stands for PTX of any.
  std::optional<BundledKernel> find_kernel(const BundledKernelKey& key) const;
  // Of all problems of a kernel on a device; rows that cannot be read are left out.
  std::vector<CoverRow> cover(const std::string& kernel, const DeviceKey& device) const;

 private:
  Store store_;
  BundleInfo info_;
};

// Puts a bundle together in a folder of its own and publishes it whole.
class BundleWriter {
 public:
  // Errors: bad_input (`target` is there and no bundle, or is a folder), io (it cannot be written there).
  explicit BundleWriter(std::filesystem::path target);

  // What databases hold, to be added by merging; afterwards remove_runs() leaves what the bundle is to hold.
  Store& store() { return *store_; }
  void add(const BundledTemplate& bundled);
  // Equal images are kept once; `image_hash` is worked out here.
  void add(const BundledKernel& kernel);
  // Precondition: store() has the problem.
  void add(const CoverRow& row);
  // Drops what only tuning needs (outcomes, winners that are not current, times of libraries, command lines), and puts the
  // file in the place of `target`, which nobody may write. Returns its size in bytes. Call it last. Errors: io, database.
  std::int64_t publish(const BundleInfo& info);

 private:
  std::filesystem::path target_;
  TemporaryFolder folder_;
  std::optional<Store> store_;
};

}  // namespace warptune::db
