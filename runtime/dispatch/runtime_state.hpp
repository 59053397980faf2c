// What all kernels of a Runtime share: device, scratch, compiler, the rows that were loaded, warnings.
// Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <warptune/db/neighbour_table.hpp>
#include <warptune/db/winner_table.hpp>
#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/runtime/runtime.hpp>

#include "runtime/dispatch/miss_file.hpp"
#include "runtime/dispatch/scratch.hpp"
#include "runtime/dispatch/shared_device.hpp"

namespace warptune::runtime {

class RuntimeState {
 public:
  RuntimeState(std::filesystem::path database, RuntimeOptions options, std::shared_ptr<Device> device);
  ~RuntimeState();

  SharedDevice& device() { return device_; }
  ScratchPool& scratch() { return scratch_; }
  const RuntimeOptions& options() const { return options_; }
  const std::filesystem::path& database() const { return database_; }

  // Opens the compiler when first called. Errors: no_device.
  KernelBuilder& builder();
  // Driver and, once a compiler is open or can be opened, NVRTC and headers.
  db::Toolchain toolchain();

  // Says one line through the hook; what the hook throws is dropped.
  void warn(const std::string& line) const noexcept;
  // The same, once per `key`.
  void warn_once(const std::string& key, const std::string& line);

  // Writes a miss down and says so, each once. `kernel`: the name or manifest path to tune it by.
  void record_miss(std::string_view kernel, const Miss& miss);
  // What the tuner gives for a miss; nothing where it fails, which is said. One miss at a time.
  std::vector<db::StoredWinner> tune_miss(const Miss& miss);

  KernelState& kernel(std::string_view name, const std::map<std::string, std::string>& types,
                      const KernelOptions& options);

  static constexpr std::size_t dot_types = 3;
  std::array<std::atomic<KernelState*>, dot_types> dot_kernels{};  // null until first used; owned by kernels_
  // The same by element, id width, policy and distribution.
  static constexpr std::size_t embedding_kinds = std::size_t{8} * 2 * 4 * 5;
  std::array<std::atomic<KernelState*>, embedding_kinds> embedding_kernels{};

 private:
  using KernelKey = std::tuple<std::string, std::map<std::string, std::string>,
                               std::map<std::string, std::string>, std::string, std::vector<std::string>>;
  void load_rows();

  const std::filesystem::path database_;
  const RuntimeOptions options_;
  SharedDevice device_;
  ScratchPool scratch_;
  db::WinnerTable rows_;           // of this device; constant once constructed
  db::NeighbourTable neighbours_;  // likewise

  MissFile misses_;
  std::mutex tuning_mutex_;

  std::mutex builder_mutex_;
  std::unique_ptr<KernelBuilder> builder_;
  bool no_compiler_ = false;  // opening failed; toolchain() does not try again

  std::mutex mutex_;
  std::set<std::string> said_;
  std::map<KernelKey, std::unique_ptr<KernelState>> kernels_;
};

}  // namespace warptune::runtime
