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
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <warptune/db/winner_table.hpp>
#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/runtime/runtime.hpp>
#include <warptune/spec/catalog.hpp>

#include "runtime/bundle/bundle.hpp"
#include "runtime/dispatch/config_code.hpp"
#include "runtime/dispatch/loaded_kernels.hpp"
#include "runtime/dispatch/miss_file.hpp"
#include "runtime/dispatch/nearby_times.hpp"
#include "runtime/dispatch/scratch.hpp"
#include "runtime/dispatch/shared_device.hpp"

namespace warptune::runtime {

class RuntimeState {
 public:
  // `image`: the database where it lies in memory; `database` is then what messages call it.
  RuntimeState(std::filesystem::path database, RuntimeOptions options, std::shared_ptr<Device> device,
               std::optional<std::span<const std::byte>> image = std::nullopt);
  ~RuntimeState();

  SharedDevice& device() { return device_; }
  ScratchPool& scratch() { return scratch_; }
  const RuntimeOptions& options() const { return options_; }
  // What notices tell people to tune into: a bundle is not tuned.
  std::filesystem::path tunable_database() const { return bundle_ == nullptr ? database_ : "tuning.db"; }

  // The code of a config for this device: that of the bundle, where one is open, and for the default its PTX; else compiled
  // or from the disk cache. Errors: compile, no_device (NVRTC), not_found (the bundle lacks it, or it is damaged).
  ConfigCode code(const spec::Instance& instance, const spec::Config& config);
  LoadedKernels& loaded() { return loaded_; }
  // Opens the compiler when first called. Errors: no_device.
  KernelBuilder& builder();
  // Driver, and NVRTC and headers: those that made the bundle's code, else those that a compiler here has, where there is one.
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
  db::Store open_store() const;
  spec::TemplatePtr find_template(std::string_view name);

  const std::filesystem::path database_;
  const RuntimeOptions options_;
  SharedDevice device_;
  ScratchPool scratch_;
  LoadedKernels loaded_;
  // Constant once constructed.
  std::optional<std::span<const std::byte>> image_;
  db::WinnerTable rows_;                 // of this device
  std::unique_ptr<NearbyTimes> nearby_;  // null where the database was not read; reads from it on demand
  std::unique_ptr<Bundle> bundle_;

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
