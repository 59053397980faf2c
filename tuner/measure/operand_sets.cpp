#include "tuner/measure/operand_sets.hpp"

#include <algorithm>

#include <warptune/base/error.hpp>

#include "tuner/verify/arena.hpp"
#include "tuner/verify/fills.hpp"

namespace warptune::tuner {
namespace {

// What a call takes at least: its launch, and its operands' way from a memory faster than today's.
constexpr double shortest_call_ns = 2000, fastest_bytes_per_ns = 5000;

std::size_t sets_wanted(CachePolicy policy, std::size_t set_bytes, std::size_t cold_bytes,
                        std::size_t free_bytes) {
  if (policy == CachePolicy::hot || set_bytes == 0) return 1;
  const auto affordable =
      static_cast<std::size_t>(static_cast<double>(free_bytes) * OperandSets::memory_share) / set_bytes;
  // One more than just covers it: the copy in use does not count.
  const std::size_t cover = cold_bytes / set_bytes + 2;
  const double call_ns = std::max(shortest_call_ns, static_cast<double>(set_bytes) / fastest_bytes_per_ns);
  const auto block = static_cast<std::size_t>(usual_block_ns / call_ns) + 1;
  return std::clamp<std::size_t>(std::min({std::max(cover, block), affordable, OperandSets::max_sets}), 1,
                                 OperandSets::max_sets);
}

}  // namespace

CachePolicy parse_policy(const std::string& text) {
  if (text == "cold") return CachePolicy::cold;
  if (text == "hot") return CachePolicy::hot;
  throw Error(ErrorKind::bad_input, "unknown measurement policy '" + text + "'", "use cold or hot");
}

OperandSets::OperandSets(runtime::Device& device, const HelperKernels& helpers,
                         const spec::Instance& instance, CachePolicy policy, const GivenOperands& given,
                         runtime::StreamHandle stream, std::uint64_t seed)
    : device_(device), helpers_(helpers), stream_(stream) {
  const spec::TemplateSpec& spec = instance.spec();
  // What the caller supplies has the same size under every config.
  const std::vector<spec::BufferLayout> layouts = instance.buffers(spec.default_config);
  std::vector<std::size_t> offsets(layouts.size(), 0);
  std::size_t pristine_bytes = 0;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (!spec::is_operand(spec.buffers[i].role)) continue;
    offsets[i] = set_bytes_;
    set_bytes_ += aligned_bytes(static_cast<std::size_t>(std::max<std::int64_t>(layouts[i].bytes(), 1)));
    if (spec.buffers[i].role == spec::BufferRole::inout)
      pristine_bytes += aligned_bytes(static_cast<std::size_t>(layouts[i].bytes()));
  }
  const auto l2_bytes = static_cast<std::size_t>(std::max<std::int64_t>(device.info().traits.l2_bytes, 0));
  const std::size_t sets = sets_wanted(policy, set_bytes_, 3 * l2_bytes, device.free_bytes());
  memory_ = runtime::DeviceBuffer(device, std::max<std::size_t>(sets * set_bytes_, 1));
  if (pristine_bytes > 0) pristine_ = runtime::DeviceBuffer(device, pristine_bytes);
  if (policy == CachePolicy::cold) {
    may_revisit_ = sets * set_bytes_ >= 3 * l2_bytes;
    scrub_bytes_ = 2 * l2_bytes / 16 * 16;
    scrub_ = runtime::DeviceBuffer(device, scrub_bytes_);
    sink_ = runtime::DeviceBuffer(device, sizeof(std::uint32_t));
    device.fill(scrub_.get(), 0x5a, scrub_bytes_, stream);
  }
  for (std::size_t set = 0; set < sets; ++set) {
    std::vector<runtime::DevicePointer> pointers(layouts.size(), 0);
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      if (!spec::is_operand(spec.buffers[i].role)) continue;
      pointers[i] = memory_.get() + set * set_bytes_ + offsets[i];
      const bool read = spec.buffers[i].role != spec::BufferRole::out;
      if (read && !given.copy_to(pointers[i], i, stream))
        helpers.fill(pointers[i], layouts[i].elements, buffer_fill(instance, i, {}, seed), stream);
    }
    pointers_.push_back(std::move(pointers));
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (spec.buffers[i].role != spec::BufferRole::inout) continue;
    const auto bytes = static_cast<std::size_t>(layouts[i].bytes());
    restores_.push_back({offsets[i], bytes, pristine_.get() + kept});
    device.copy_on_device(pristine_.get() + kept, pointers_.front()[i], bytes, stream);
    kept += aligned_bytes(bytes);
  }
}

void OperandSets::prepare(std::size_t used) {
  for (const Restore& restore : restores_) {
    for (std::size_t set = 0; set < std::min(used, count()); ++set) {
      device_.copy_on_device(memory_.get() + set * set_bytes_ + restore.offset, restore.pristine,
                             restore.bytes, stream_);
    }
  }
  if (scrub_bytes_ > 0) helpers_.read(scrub_.get(), scrub_bytes_, sink_.get(), 8, true, stream_);
}

}  // namespace warptune::tuner
