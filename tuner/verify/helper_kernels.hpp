// The helper kernels of verification and measurement, compiled and loaded: fill, compare, audit, read, wait.
// All members enqueue and return; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <warptune/runtime/device.hpp>
#include <warptune/runtime/kernel_builder.hpp>

#include "tuner/measure/module_cache.hpp"
#include "tuner/verify/device_layout.hpp"
#include "tuner/verify/fills.hpp"

namespace warptune::tuner {

class HelperKernels {
 public:
  // Compiles (or finds in the disk cache) and loads. Errors: internal when the helpers do not compile; cuda, no_device.
  HelperKernels(runtime::Device& device, runtime::KernelBuilder& builder);

  void fill(runtime::DevicePointer to, std::int64_t elements, const BufferFill& how,
            runtime::StreamHandle stream) const;
  // Adds what it finds to the report at `report` (a device::Report in device memory, zeroed before).
  void compare(const device::Comparison& comparison, runtime::DevicePointer report,
               runtime::StreamHandle stream) const;
  // Checks every range, and notes the first element that compare() found wrong. Precondition: at most max_audit_ranges.
  void audit(const device::AuditList& ranges, const device::Comparison& comparison,
             runtime::DevicePointer report, runtime::StreamHandle stream) const;
  // Reads `bytes` (a multiple of 16) once. `keep`: the lines stay in the cache, where they take the place of others; else they
  // are the first to leave it. `sink`: four bytes that are practically never written.
  void read(runtime::DevicePointer from, std::size_t bytes, runtime::DevicePointer sink,
            std::uint32_t blocks_per_sm, bool keep, runtime::StreamHandle stream) const;
  // Writes, or copies, `bytes` (a multiple of 16) once; values are not zeros.
  void write(runtime::DevicePointer to, std::size_t bytes, std::uint32_t blocks_per_sm,
             runtime::StreamHandle stream) const;
  void copy(runtime::DevicePointer from, runtime::DevicePointer to, std::size_t bytes,
            std::uint32_t blocks_per_sm, runtime::StreamHandle stream) const;
  // `watch`: a device::SpanWatch in device memory, of which the three write their parts; null for wait() where nobody asks.
  void begin_watch(runtime::DevicePointer watch, runtime::StreamHandle stream) const;
  void wait(std::uint64_t duration_ns, runtime::StreamHandle stream, runtime::DevicePointer watch = 0) const;
  void end_watch(runtime::DevicePointer watch, runtime::StreamHandle stream) const;
  void do_nothing(runtime::StreamHandle stream) const;

 private:
  runtime::FunctionHandle function(const char* name) const { return functions_.at(name); }
  std::uint32_t sm_count() const;
  spec::Dim3 grid_for(std::uint64_t items) const;

  runtime::Device& device_;
  ModuleCache modules_;
  std::map<std::string, runtime::FunctionHandle, std::less<>> functions_;
};

}  // namespace warptune::tuner
