#include "tuner/measure/block_watch.hpp"

#include <algorithm>
#include <chrono>

#include "tuner/measure/statistics.hpp"

namespace warptune::tuner {
namespace {

// A call that lasts longer was interrupted: when the work was handed over is not known.
constexpr std::int64_t longest_call_ns = 100'000;

std::int64_t host_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

constexpr device::Word64 shortest_clocked_ns =
    200'000;  // the timer steps by up to a microsecond on some cards

}  // namespace

Conditions conditions_of(const std::vector<device::SpanWatch>& watches) {
  Conditions seen;
  std::vector<double> mhz;
  for (const device::SpanWatch& watch : watches) {
    const auto stall = static_cast<double>(watch.longest_stall_ns);
    seen.longest_stall_ns = std::max(seen.longest_stall_ns.value_or(0), stall);
    if (watch.after.sm != watch.before.sm || watch.after.cycles <= watch.before.cycles ||
        watch.after.time_ns < watch.before.time_ns + shortest_clocked_ns)
      continue;
    mhz.push_back(1e3 * static_cast<double>(watch.after.cycles - watch.before.cycles) /
                  static_cast<double>(watch.after.time_ns - watch.before.time_ns));
  }
  if (!mhz.empty()) {
    const auto [lowest, highest] = std::minmax_element(mhz.begin(), mhz.end());
    seen.clock = Conditions::Clock{*lowest, median(mhz), *highest};
  }
  return seen;
}

void ArrivalDelays::ended(std::int64_t device_ns, std::int64_t host_ns) {
  constexpr std::int64_t remembered_ns = 2'000'000'000;
  while (!ends_.empty() && host_ns - ends_.front().first > remembered_ns) ends_.pop_front();
  ends_.emplace_back(host_ns, device_ns - host_ns);
}

double ArrivalDelays::arrived(std::int64_t host_ns, std::int64_t device_ns) const {
  if (ends_.empty()) return 0;
  std::int64_t ahead = ends_.front().second;
  for (const auto& [when, difference] : ends_) ahead = std::max(ahead, difference);
  return static_cast<double>(std::max<std::int64_t>(device_ns - host_ns - ahead, 0));
}

BlockWatch::BlockWatch(runtime::Device& device, const HelperKernels& helpers, runtime::StreamHandle stream)
    : device_(device),
      helpers_(helpers),
      stream_(stream),
      watches_(device, capacity * sizeof(device::SpanWatch)),
      host_(capacity) {
  device.fill(watches_.get(), 0, capacity * sizeof(device::SpanWatch), stream);
}

runtime::DevicePointer BlockWatch::place() const {
  return watches_.get() + spans_ % capacity * sizeof(device::SpanWatch);
}

void BlockWatch::begin() {
  device_.synchronize(stream_);
  const std::int64_t called_ns = host_now_ns();
  helpers_.begin_watch(place(), stream_);
  const std::int64_t returned_ns = host_now_ns();
  host_[spans_ % capacity] = {};
  if (returned_ns - called_ns <= longest_call_ns) host_[spans_ % capacity].submitted_ns = returned_ns;
}

void BlockWatch::before(std::uint64_t duration_ns) { helpers_.wait(duration_ns, stream_, place()); }

void BlockWatch::after() { helpers_.end_watch(place(), stream_); }

void BlockWatch::ended() {
  host_[spans_ % capacity].ended_ns = host_now_ns();
  ++spans_;
}

Conditions BlockWatch::take() {
  const std::size_t end = spans_, count = std::min(spans_, capacity);
  spans_ = 0;
  if (count == 0) return {};
  std::vector<device::SpanWatch> ring(std::min(end, capacity)), watches;
  device_.synchronize(stream_);
  device_.copy_to_host(ring.data(), watches_.get(), ring.size() * sizeof(device::SpanWatch));
  double longest_delay_ns = 0;
  for (std::size_t span = end - count; span < end; ++span) {
    const device::SpanWatch& watch = watches.emplace_back(ring[span % capacity]);
    const HostTimes& host = host_[span % capacity];
    if (watch.arrived_ns == 0) continue;
    delays_.ended(static_cast<std::int64_t>(watch.after.time_ns), *host.ended_ns);
    if (host.submitted_ns)
      longest_delay_ns = std::max(
          longest_delay_ns, delays_.arrived(*host.submitted_ns, static_cast<std::int64_t>(watch.arrived_ns)));
  }
  Conditions seen = conditions_of(watches);
  seen.longest_stall_ns = std::max(seen.longest_stall_ns.value_or(0), longest_delay_ns);
  return seen;
}

}  // namespace warptune::tuner
