// Collects what the audit kernel checks after a run. Plain value building; one thread at a time.
#pragma once

#include <warptune/runtime/device.hpp>

#include "tuner/verify/arena.hpp"
#include "tuner/verify/device_layout.hpp"

namespace warptune::tuner {

// Errors: unsupported when a template has more buffers than one audit can hold.
class AuditBuilder {
 public:
  // Guards of an arena that starts at `base`, numbered from `first_slot`.
  void add_guards(const ArenaLayout& layout, runtime::DevicePointer base, int first_slot);
  void add_checksum(runtime::DevicePointer pointer, std::size_t bytes, int slot);
  void add_zero(runtime::DevicePointer pointer, std::size_t bytes);
  const device::AuditList& list() const { return list_; }

 private:
  void add(const device::AuditRange& range);
  device::AuditList list_{};
};

}  // namespace warptune::tuner
