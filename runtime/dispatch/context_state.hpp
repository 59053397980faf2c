// What a Runtime has in one CUDA context: the device, memory, loaded code, and the kernels with what was selected for them.
// Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <warptune/db/winner_table.hpp>
#include <warptune/runtime/contexts.hpp>
#include <warptune/runtime/runtime.hpp>

#include "runtime/dispatch/loaded_kernels.hpp"
#include "runtime/dispatch/nearby_times.hpp"
#include "runtime/dispatch/scratch.hpp"
#include "runtime/dispatch/shared_device.hpp"

namespace warptune::runtime {

// Rows of one device model; contexts of equal devices share them.
struct DeviceRows {
  db::WinnerTable winners;              // constant once they are loaded
  std::unique_ptr<NearbyTimes> nearby;  // null where the database was not read; reads from it on demand
};

class ContextState {
 public:
  // `older`: the context that the runtime met before this one; null: none.
  ContextState(RuntimeState& runtime, ContextId id, std::shared_ptr<Device> device,
               std::shared_ptr<const DeviceRows> rows, ContextState* older);
  ~ContextState();

  RuntimeState& runtime() { return runtime_; }
  ContextId id() const { return id_; }
  ContextState* older() const { return older_; }
  SharedDevice& device() { return device_; }
  ScratchPool& scratch() { return scratch_; }
  LoadedKernels& loaded() { return loaded_; }

  // Error usage: another context, or none, is current on this thread. `what` names the kernel.
  void require_current(const std::string& what) const;

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

  const ContextId id_;
  ContextState* const older_;
  RuntimeState& runtime_;
  SharedDevice device_;
  ScratchPool scratch_;
  LoadedKernels loaded_;
  const std::shared_ptr<const DeviceRows> rows_;

  std::mutex mutex_;
  std::map<KernelKey, std::unique_ptr<KernelState>> kernels_;
};

}  // namespace warptune::runtime
