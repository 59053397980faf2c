#include "tuner/verify/audit_builder.hpp"

#include <warptune/base/error.hpp>

namespace warptune::tuner {

void AuditBuilder::add(const device::AuditRange& range) {
  if (list_.count == device::max_audit_ranges)
    throw Error(ErrorKind::unsupported, "the template has too many buffers to verify",
                "use at most " + std::to_string(device::max_audit_ranges / 2 - 2) + " buffers");
  list_.ranges[list_.count++] = range;
}

void AuditBuilder::add_guards(const ArenaLayout& layout, runtime::DevicePointer base, int first_slot) {
  for (std::size_t i = 0; i < layout.guards.size(); ++i)
    add({base + layout.guards[i].offset, layout.guards[i].bytes, device::Expect::all_ones,
         first_slot + static_cast<int>(i)});
}

void AuditBuilder::add_checksum(runtime::DevicePointer pointer, std::size_t bytes, int slot) {
  if (bytes > 0) add({pointer, bytes, device::Expect::checksum, slot % device::max_checksums});
}

void AuditBuilder::add_zero(runtime::DevicePointer pointer, std::size_t bytes) {
  if (bytes > 0) add({pointer, bytes, device::Expect::all_zero, 0});
}

}  // namespace warptune::tuner
