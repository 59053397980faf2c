// From databases to a bundle file. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <warptune/db/store.hpp>
#include <warptune/runtime/compiler.hpp>

#include "tuner/bundle/content.hpp"
#include "tuner/bundle/kernels.hpp"

namespace warptune::tuner {

struct BundleRequest {
  std::filesystem::path output;
  std::vector<std::string> kernels;  // names or manifests; empty: all
  JobOptions jobs;
};

struct ArchitectureSize {
  std::int64_t kernels = 0, bytes = 0;
};

struct BundleReport {
  BundleContent content;
  std::map<std::string, ArchitectureSize> architectures;  // "sm_90", and "compute_75" for PTX
  std::int64_t bytes = 0;                                 // of the file
};

// `sources` are only read. The output is replaced whole, or not at all; what is there and no bundle stays. Errors: bad_input,
// not_found, compile, unsupported, io, database.
BundleReport make_bundle(const std::vector<db::Store>& sources, const BundleRequest& request,
                         runtime::Compiler& compiler,
                         const std::function<void(std::size_t done, std::size_t total)>& progress);

}  // namespace warptune::tuner
