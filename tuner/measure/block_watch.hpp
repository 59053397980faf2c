// Watches the card beside the timed spans: was it taken from us, and how fast did its clock run? One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include <warptune/runtime/device.hpp>
#include <warptune/tuner/conditions.hpp>

#include "tuner/verify/device_layout.hpp"
#include "tuner/verify/helper_kernels.hpp"

namespace warptune::tuner {

// Clock and longest stall of what was watched; the rest is left out. Watches of which one half is missing, whose halves come from
// different multiprocessors, or that lasted less than 0.2 ms tell no clock. Pure.
Conditions conditions_of(const std::vector<device::SpanWatch>& watches);

// How late the device came to what was put on an idle stream. The clocks of host and device differ by an unknown, slowly
// changing amount. The host hears soon of what the device has ended, whoever else uses it: so the device's clock is ahead by at
// least what it showed at an end less what the host's showed when it heard, and by little more than the largest of these differences.
// Pure but for what it remembers, which is two seconds.
class ArrivalDelays {
 public:
  // In ns, each on the clock of its own: work ended, and the host heard.
  void ended(std::int64_t device_ns, std::int64_t host_ns);
  // Work had been handed over, and the device came to it: the delay in ns, some microseconds more than it was; 0 where no end was
  // seen lately.
  double arrived(std::int64_t host_ns, std::int64_t device_ns) const;

 private:
  std::deque<std::pair<std::int64_t, std::int64_t>> ends_;  // host, device - host
};

// Another process that computes is met in two ways. Where it is given the card in the middle of our work, a thread that never
// rests sees time pass. Where our pieces of work are shorter than a time slice, the card is taken while we idle between them,
// and the next piece waits for up to a slice before it begins.
class BlockWatch {
 public:
  static constexpr std::size_t capacity = 4096;  // spans remembered: the latest

  // What is referred to must outlive it. Errors: out_of_memory, cuda.
  BlockWatch(runtime::Device& device, const HelperKernels& helpers, runtime::StreamHandle stream);

  // Ahead of all that belongs to a span; waits for the stream first. Right before the span, keeping the stream busy for so long;
  // right behind it. These are asynchronous.
  void begin();
  void before(std::uint64_t duration_ns);
  void after();
  // The host has seen the span's end.
  void ended();
  // What was seen since the last call. Waits for the stream. Error cuda.
  Conditions take();

 private:
  // When a span's work was handed over, where that is known well, and when its end was seen, on the host's clock in ns.
  struct HostTimes {
    std::optional<std::int64_t> submitted_ns, ended_ns;
  };
  runtime::DevicePointer place() const;

  runtime::Device& device_;
  const HelperKernels& helpers_;
  runtime::StreamHandle stream_;
  runtime::DeviceBuffer watches_;
  std::vector<HostTimes> host_;  // by place in the ring
  ArrivalDelays delays_;
  std::size_t spans_ = 0;  // since the last take()
};

}  // namespace warptune::tuner
