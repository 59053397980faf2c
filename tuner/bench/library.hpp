// The libraries that people would call instead: timed beside our configs. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/tuner/device_evaluator.hpp>

#include "tuner/bench/contest.hpp"

namespace warptune::tuner {

class Library {
 public:
  virtual ~Library() = default;
  virtual std::string version() const = 0;
  // Blocks of the call that does what the evaluator's problem asks, fed as `evaluator` feeds its configs;
  // nothing when the library has no such call. The block is valid until the next prepare() and while both
  // live. Errors: cuda, out_of_memory.
  virtual std::optional<Block> prepare(DeviceEvaluator& evaluator) = 0;
};

struct LibraryOptions {
  std::string python = "python3";  // the interpreter that has PyTorch
};

struct LibraryInfo {
  std::string_view name;
  std::map<std::string_view, std::string_view>
      calls;  // kernels it can be compared with, and its call for each
  // Error not_found when it is not installed.
  std::unique_ptr<Library> (*open)(const LibraryOptions& options);
};

// The explicit list of libraries.
const std::vector<LibraryInfo>& libraries();
// Error not_found lists what exists.
const LibraryInfo& find_library(std::string_view name);

std::unique_ptr<Library> open_cublas(const LibraryOptions& options);
std::unique_ptr<Library> open_torch(const LibraryOptions& options);

}  // namespace warptune::tuner
