// One tuner per GPU: tuners that share a GPU measure each other. The lock is the kernel's, so that it goes with the process that
// holds it, however that ends. Thread-safe for different objects.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace warptune::tuner {

class GpuLock {
 public:
  // Nothing when another process, of any user, holds it. `bus_id`: DeviceInfo::bus_id. Error io: the file of the lock
  // cannot be made; `folder` is for tests, empty: the system's folder for temporary files.
  static std::optional<GpuLock> try_acquire(const std::string& bus_id,
                                            const std::filesystem::path& folder = {});
  // Asks about four times a second until it is free; nothing when `give_up` says so first.
  static std::optional<GpuLock> wait(const std::string& bus_id, const std::function<bool()>& give_up,
                                     const std::filesystem::path& folder = {});
  ~GpuLock();
  GpuLock(GpuLock&& other) noexcept;
  GpuLock& operator=(GpuLock&& other) noexcept;

 private:
  explicit GpuLock(int file) : file_(file) {}
  int file_;
};

}  // namespace warptune::tuner
