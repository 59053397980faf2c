#include "tuner/measure/calibration.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "tuner/measure/statistics.hpp"
#include "tuner/measure/timer.hpp"

namespace warptune::tuner {
namespace {

constexpr std::size_t read_bytes_most = std::size_t{2} << 30;
constexpr std::uint64_t read_lead_in_ns = 30'000;  // the host queues the read meanwhile

// Smallest difference between distinct spans of a little work: what the clock resolves. 0 where all spans were equal.
double smallest_step(const std::vector<double>& spans_ns) {
  const std::set<double> distinct(spans_ns.begin(), spans_ns.end());
  double step = 0;
  double before = -1;
  for (double span : distinct) {
    if (before >= 0 && (step == 0 || span - before < step)) step = span - before;
    before = span;
  }
  return step;
}

}  // namespace

double measure_read_ceiling(runtime::Device& device, const HelperKernels& helpers) {
  const OwnedStream stream(device);
  const auto l2_bytes =
      static_cast<std::size_t>(std::max<std::int64_t>(device.info().traits.l2_bytes, 1 << 20));
  const std::size_t bytes =
      std::max<std::size_t>(std::min({read_bytes_most, device.free_bytes() / 4, 64 * l2_bytes}), 1 << 20) /
      16 * 16;
  const runtime::DeviceBuffer data(device, bytes), sink(device, sizeof(std::uint32_t));
  // Not zeros: memory and bus draw less power on them, and read faster.
  helpers.fill(data.get(), static_cast<std::int64_t>(bytes / sizeof(float)),
               {device::Element::f32, device::Fill::normal, 0, 1}, stream.get());
  Stopwatch stopwatch(device, stream.get());
  double best_ns = 0;
  // From grids that stay resident to some that hand each thread a few loads only.
  for (const std::uint32_t blocks_per_sm : {8u, 16u, 64u, 256u, 512u}) {
    for (const bool keep : {false, true}) {
      for (int repeat = 0; repeat < 3; ++repeat) {
        helpers.wait(read_lead_in_ns, stream.get());
        stopwatch.start();
        helpers.read(data.get(), bytes, sink.get(), blocks_per_sm, keep, stream.get());
        stopwatch.stop();
        const double span_ns = stopwatch.elapsed_ns();
        if (best_ns == 0 || span_ns < best_ns) best_ns = span_ns;
      }
    }
  }
  return static_cast<double>(bytes) / best_ns * 1e9;
}

std::map<std::string, double> measure_calibration(runtime::Device& device, const HelperKernels& helpers) {
  const OwnedStream stream(device);
  Stopwatch stopwatch(device, stream.get());
  std::vector<double> empty, small;
  for (int i = 0; i < 200; ++i) {
    stopwatch.start();
    stopwatch.stop();
    empty.push_back(stopwatch.elapsed_ns());
    stopwatch.start();
    helpers.wait(2000, stream.get());
    stopwatch.stop();
    small.push_back(stopwatch.elapsed_ns());
  }
  Feed feed;
  feed.wait = [&](std::uint64_t duration_ns) { helpers.wait(duration_ns, stream.get()); };
  Timer timer(device, stream.get(), feed);
  TimedGraph nothing =
      timer.capture([&](std::size_t, runtime::StreamHandle on) { helpers.do_nothing(on); }, 256);
  std::vector<double> cadence;
  for (int i = 0; i < 20; ++i) cadence.push_back(timer.time_block(nothing));
  return {{"event_tick_ns", smallest_step(small)},
          {"empty_event_pair_ns", median(empty)},
          {"empty_kernel_cadence_ns", median(cadence)},
          {"read_ceiling_bytes_per_s", measure_read_ceiling(device, helpers)}};
}

}  // namespace warptune::tuner
