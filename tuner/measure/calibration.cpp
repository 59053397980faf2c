#include "tuner/measure/calibration.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "tuner/measure/block_watch.hpp"
#include "tuner/measure/statistics.hpp"
#include "tuner/measure/timer.hpp"

namespace warptune::tuner {
namespace {

constexpr std::size_t bytes_most = std::size_t{2} << 30, bytes_least = std::size_t{1} << 16;
constexpr int factors[] = {4, 16, 64};  // sizes in L2 caches
constexpr std::uint64_t loaded_ns = 20'000'000;

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

// Two stretches of memory, and the rates at which they are read, written and copied.
class MemoryProbe {
 public:
  MemoryProbe(runtime::Device& device, const HelperKernels& helpers, runtime::StreamHandle stream)
      : helpers_(helpers),
        stream_(stream),
        stopwatch_(device, stream_),
        l2_bytes_(static_cast<std::size_t>(std::max<std::int64_t>(device.info().traits.l2_bytes, 0))),
        affordable_(device.free_bytes() / 8),
        data_(device, size_of(factors[2])),
        target_(device, size_of(factors[2])),
        sink_(device, sizeof(std::uint32_t)) {
    // Not zeros: memory and bus draw less power on them, and are faster.
    for (const runtime::DeviceBuffer* buffer : {&data_, &target_})
      helpers_.fill(buffer->get(), static_cast<std::int64_t>(size_of(factors[2]) / sizeof(float)),
                    {device::Element::f32, device::Fill::normal, 0, 1}, stream_);
  }

  // Over `factor` L2 caches, or as much as there is.
  Ceilings rates(int factor) {
    const std::size_t bytes = size_of(factor);
    const runtime::StreamHandle on = stream_;
    Ceilings rates;
    for (const bool keep : {false, true})
      rates.read = std::max(rates.read, rate(bytes, [&](std::uint32_t blocks_per_sm) {
                              helpers_.read(data_.get(), bytes, sink_.get(), blocks_per_sm, keep, on);
                            }));
    rates.write = rate(
        bytes, [&](std::uint32_t blocks_per_sm) { helpers_.write(target_.get(), bytes, blocks_per_sm, on); });
    rates.copy = 2 * rate(bytes, [&](std::uint32_t blocks_per_sm) {
                   helpers_.copy(data_.get(), target_.get(), bytes, blocks_per_sm, on);
                 });
    return rates;
  }

 private:
  std::size_t size_of(int factor) const {
    return std::max<std::size_t>(
        std::min({bytes_most, affordable_, static_cast<std::size_t>(factor) * l2_bytes_}) / 16 * 16,
        bytes_least);
  }

  // Bytes per second of the fastest of several launches, from grids that stay resident to some that hand each thread a few
  // accesses only.
  double rate(std::size_t bytes, const std::function<void(std::uint32_t blocks_per_sm)>& run) {
    double best_ns = 0;
    for (const std::uint32_t blocks_per_sm : {8u, 16u, 64u, 256u, 512u}) {
      for (int repeat = 0; repeat < 2; ++repeat) {
        helpers_.wait(lead_in_ns, stream_);
        stopwatch_.start();
        run(blocks_per_sm);
        stopwatch_.stop();
        const double span_ns = stopwatch_.elapsed_ns();
        if (best_ns == 0 || span_ns < best_ns) best_ns = span_ns;
      }
    }
    return static_cast<double>(bytes) / best_ns * 1e9;
  }

  const HelperKernels& helpers_;
  runtime::StreamHandle stream_;
  Stopwatch stopwatch_;
  std::size_t l2_bytes_;
  std::size_t affordable_;
  runtime::DeviceBuffer data_, target_, sink_;
};

void add(std::map<std::string, double>& figures, const std::string& which, const Ceilings& rates) {
  figures["read_" + which + "_bytes_per_s"] = rates.read;
  figures["write_" + which + "_bytes_per_s"] = rates.write;
  figures["copy_" + which + "_bytes_per_s"] = rates.copy;
}

// What events and graphs cost.
void measure_timer(runtime::Device& device, const HelperKernels& helpers, runtime::StreamHandle stream,
                   std::map<std::string, double>& figures) {
  Stopwatch stopwatch(device, stream);
  std::vector<double> empty, small;
  for (int i = 0; i < 200; ++i) {
    stopwatch.start();
    stopwatch.stop();
    empty.push_back(stopwatch.elapsed_ns());
    stopwatch.start();
    helpers.wait(2000, stream);
    stopwatch.stop();
    small.push_back(stopwatch.elapsed_ns());
  }
  figures["event_tick_ns"] = smallest_step(small);
  figures["empty_event_pair_ns"] = median(empty);
  BlockWatch watch(device, helpers, stream);
  Feed feed;
  feed.watch = &watch;
  Timer timer(device, stream, feed);
  const auto nothing = [&](std::size_t, runtime::StreamHandle on) { helpers.do_nothing(on); };
  figures["replay_cost_ns"] = timer.cancel_fixed_cost(nothing);
  TimedGraph graph = timer.capture(nothing, 256);
  std::vector<double> cadence;
  for (int i = 0; i < 20; ++i) cadence.push_back(timer.time_block(graph));
  figures["empty_kernel_cadence_ns"] = median(cadence);
}

void measure_loaded_clock(runtime::Device& device, const HelperKernels& helpers, runtime::StreamHandle stream,
                          std::map<std::string, double>& figures) {
  BlockWatch watch(device, helpers, stream);
  watch.before(lead_in_ns);
  helpers.wait(loaded_ns, stream);
  watch.after();
  if (const auto clock = watch.take().clock) figures["sm_mhz_loaded"] = clock->median_mhz;
}

}  // namespace

Ceilings measure_ceilings(runtime::Device& device, const HelperKernels& helpers,
                          runtime::StreamHandle stream) {
  return MemoryProbe(device, helpers, stream).rates(factors[2]);
}

std::map<std::string, double> measure_calibration(runtime::Device& device, const HelperKernels& helpers,
                                                  runtime::StreamHandle stream, runtime::Sensors* sensors) {
  std::map<std::string, double> figures;
  if (sensors != nullptr) {
    if (const auto mhz = sensors->read().sm_mhz) figures["sm_mhz_idle"] = *mhz;
  }
  figures["l2_bytes"] = static_cast<double>(device.info().traits.l2_bytes);
  MemoryProbe probe(device, helpers, stream);
  Ceilings highest;
  for (const int factor : factors) {
    const Ceilings rates = probe.rates(factor);
    add(figures, std::to_string(factor) + "x_l2", rates);
    highest = {std::max(highest.read, rates.read), std::max(highest.write, rates.write),
               std::max(highest.copy, rates.copy)};
  }
  add(figures, "ceiling", highest);
  measure_timer(device, helpers, stream, figures);
  measure_loaded_clock(device, helpers, stream, figures);
  return figures;
}

}  // namespace warptune::tuner
