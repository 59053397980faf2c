#include "tuner/measure/timer.hpp"

#include <algorithm>
#include <cmath>

namespace warptune::tuner {
namespace {

// How long the host may take to queue a span: two events, and a graph by the number of its calls. Replaying another graph
// than the last one made the device wait up to 0.3 us per call inside the span on an H200 when it had nothing else to do.
constexpr std::uint64_t lead_in_ns = 30'000;
constexpr std::uint64_t lead_in_per_call_ns = 400;

}  // namespace

Timer::Timer(runtime::Device& device, runtime::StreamHandle stream, Feed feed)
    : device_(device), stream_(stream), feed_(std::move(feed)), stopwatch_(device, stream) {}

TimedGraph Timer::capture(const Enqueue& call, std::size_t calls) {
  TimedGraph graph;
  graph.calls_ = allowed(calls);
  graph.used_sets_ = std::min(graph.calls_, feed_.sets);
  device_.begin_capture(stream_);
  try {
    for (std::size_t i = 0; i < graph.calls_; ++i) call(i % feed_.sets, stream_);
  } catch (...) {
    try {
      device_.end_capture(stream_);  // leaves the stream usable
    } catch (...) {
      // The first failure is the one to report.
    }
    throw;
  }
  graph.graph_ = device_.end_capture(stream_);
  return graph;
}

double Timer::time_block(TimedGraph& graph) {
  if (feed_.prepare) feed_.prepare(graph.used_sets_);
  if (feed_.wait) feed_.wait(lead_in_ns + lead_in_per_call_ns * graph.calls_);
  stopwatch_.start();
  graph.graph_->launch(stream_);
  stopwatch_.stop();
  const double span_ns = stopwatch_.elapsed_ns();
  gpu_ns_ += span_ns;
  return span_ns / static_cast<double>(graph.calls_);
}

std::size_t Timer::calls_for(double block_ns, double call_ns, std::size_t most) const {
  const double wanted = std::ceil(block_ns / std::max(call_ns, 1.0));
  return static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(allowed(most))));
}

std::size_t Timer::allowed(std::size_t calls) const {
  return std::max<std::size_t>(feed_.revisit ? calls : std::min(calls, feed_.sets), 1);
}

}  // namespace warptune::tuner
