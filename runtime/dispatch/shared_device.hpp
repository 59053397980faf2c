// A device and the lock for those of its members that one thread at a time may use. Launches, fills and
// capture queries need none.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include <warptune/runtime/device.hpp>

namespace warptune::runtime {

struct SharedDevice {
  explicit SharedDevice(std::shared_ptr<Device> shared) : device(std::move(shared)) {}
  const std::shared_ptr<Device> device;
  std::mutex mutex;
};

}  // namespace warptune::runtime
