// Scratch memory (workspaces and counters) of timed calls. One thread at a time.
#pragma once

#include <cstddef>
#include <vector>

#include <warptune/runtime/device.hpp>
#include <warptune/spec/instance.hpp>

namespace warptune::tuner {

// A call's scratch is used again by the next call, hence warm; how far it lies from the multiprocessors that use it is chance (on an
// H200, 0.12 us of a call of 2.8 us whose blocks leave partial sums). So calls take turns through places, and all candidates
// through the same ones.
class ScratchRing {
 public:
  static constexpr std::size_t most_places = 32;
  static constexpr std::size_t place_bytes = 64 * 1024;  // scratch beyond this has a place of its own
  static constexpr std::size_t stride_bytes = place_bytes + 4352;

  // Errors: out_of_memory, cuda.
  ScratchRing(runtime::Device& device, runtime::StreamHandle stream);

  // One candidate's scratch: in the ring, or in memory of its own.
  class Share {
   public:
    // Of a buffer, for the `call`-th call; 0 for operands.
    runtime::DevicePointer pointer(std::size_t buffer, std::size_t call) const {
      return offsets_[buffer] == none ? 0 : bases_[call % bases_.size()] + offsets_[buffer];
    }

   private:
    friend class ScratchRing;
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> offsets_;  // by buffer
    std::vector<runtime::DevicePointer> bases_;
    runtime::DeviceBuffer own_;
  };
  // For a plan's buffers; what is not in the ring is zeroed, as counters start. Errors: out_of_memory, cuda.
  Share share(const std::vector<spec::BufferSpec>& buffers, const std::vector<spec::BufferLayout>& layouts);

  // Before each timed span: zeroes the ring, where other candidates have left theirs, which also brings it into the cache.
  // Asynchronous.
  void reset();

 private:
  runtime::Device& device_;
  runtime::StreamHandle stream_;
  std::size_t places_;
  runtime::DeviceBuffer ring_;
};

}  // namespace warptune::tuner
