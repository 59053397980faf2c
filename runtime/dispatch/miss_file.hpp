// The side file that misses are written to: one JSON object per line, appended by any number of processes. Thread-safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>

#include <warptune/runtime/misses.hpp>

namespace warptune::runtime {

// "warptune_miss", "kernel", "types", "dims", "attributes" (those stated), "allow", "policy", "device". Equal problems
// give equal lines. `kernel`: the name or manifest path to tune it by.
std::string miss_line(std::string_view kernel, const Miss& miss);

class MissFile {
 public:
  // What lines of one process, and the whole file, may come to: what is beyond is not written.
  static constexpr std::size_t most_lines = 4096;
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;

  explicit MissFile(std::filesystem::path path) : path_(std::move(path)) {}

  // Appends `line` (which has no line end) unless this object did so before. Returns why it could not; empty: it stands
  // there, or stood there already. Never waits long for another process, never leaves part of a line.
  std::string add(const std::string& line);
  const std::filesystem::path& path() const { return path_; }

 private:
  const std::filesystem::path path_;
  std::mutex mutex_;
  std::unordered_set<std::string> known_;
};

}  // namespace warptune::runtime
