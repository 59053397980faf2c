// Copies of a problem's operands for timing: as many as cold launches need, one for hot ones. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <warptune/runtime/device.hpp>
#include <warptune/spec/instance.hpp>

#include "tuner/verify/given_operands.hpp"
#include "tuner/verify/helper_kernels.hpp"

namespace warptune::tuner {

// Length of a timed block, in ns.
inline constexpr double usual_block_ns = 1e6;

enum class CachePolicy { cold, hot };
// Error bad_input for anything but "cold" and "hot".
CachePolicy parse_policy(const std::string& text);

class OperandSets {
 public:
  // At most so many copies, and at most this share of the free memory, whichever is reached first.
  static constexpr std::size_t max_sets = 1000;
  static constexpr double memory_share = 0.25;

  // Fills every copy with the caller's values or as the manifest says, on `stream`. Cold: so many copies that a block of a millisecond need not come back to
  // one, and together over three times the L2 cache. Errors: out_of_memory, cuda.
  OperandSets(runtime::Device& device, const HelperKernels& helpers, const spec::Instance& instance,
              CachePolicy policy, const GivenOperands& given, runtime::StreamHandle stream,
              std::uint64_t seed);

  std::size_t count() const { return pointers_.size(); }
  // One pointer per buffer of the template; null for workspaces and counters.
  const std::vector<runtime::DevicePointer>& pointers(std::size_t set) const { return pointers_[set]; }

  // Whether a launch may come back to a copy within one timed span: not where, cold, all copies together may stay in the cache.
  bool may_revisit() const { return may_revisit_; }
  // What prepare() reads, cold. Copies alone, taken in turn, leave something in the cache: a half dot of 2^18 was 4 % faster so on an
  // H200.
  std::size_t scrub_bytes() const { return scrub_bytes_; }
  // Before each timed span: restores in-place operands of the first `used` sets; cold: then reads twice the L2 cache. Asynchronous.
  void prepare(std::size_t used);

 private:
  struct Restore {
    std::size_t offset = 0;  // of the buffer within a set
    std::size_t bytes = 0;
    runtime::DevicePointer pristine = 0;
  };

  runtime::Device& device_;
  const HelperKernels& helpers_;
  runtime::StreamHandle stream_;
  runtime::DeviceBuffer memory_, pristine_, scrub_, sink_;
  std::size_t set_bytes_ = 0;
  std::size_t scrub_bytes_ = 0;
  bool may_revisit_ = true;
  std::vector<std::vector<runtime::DevicePointer>> pointers_;
  std::vector<Restore> restores_;
};

}  // namespace warptune::tuner
