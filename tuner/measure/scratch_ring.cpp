#include "tuner/measure/scratch_ring.hpp"

#include <algorithm>

#include "tuner/verify/arena.hpp"

namespace warptune::tuner {
namespace {

// An eighth of the L2 cache at most.
std::size_t places_for(const runtime::Device& device) {
  const auto l2_bytes = static_cast<std::size_t>(std::max<std::int64_t>(device.info().traits.l2_bytes, 0));
  return std::clamp<std::size_t>(l2_bytes / 8 / ScratchRing::stride_bytes, 1, ScratchRing::most_places);
}

}  // namespace

ScratchRing::ScratchRing(runtime::Device& device, runtime::StreamHandle stream)
    : device_(device), stream_(stream), places_(places_for(device)), ring_(device, places_ * stride_bytes) {}

ScratchRing::Share ScratchRing::share(const std::vector<spec::BufferSpec>& buffers,
                                      const std::vector<spec::BufferLayout>& layouts) {
  Share share;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const bool operand = spec::is_operand(buffers[i].role);
    share.offsets_.push_back(operand ? Share::none : bytes);
    if (!operand)
      bytes += aligned_bytes(static_cast<std::size_t>(std::max<std::int64_t>(layouts[i].bytes(), 1)));
  }
  if (bytes <= place_bytes) {
    for (std::size_t place = 0; place < places_; ++place)
      share.bases_.push_back(ring_.get() + place * stride_bytes);
  } else {
    share.own_ = runtime::DeviceBuffer(device_, bytes);
    share.bases_.push_back(share.own_.get());
    device_.fill(share.own_.get(), 0, bytes, stream_);
  }
  return share;
}

void ScratchRing::reset() { device_.fill(ring_.get(), 0, places_ * stride_bytes, stream_); }

}  // namespace warptune::tuner
