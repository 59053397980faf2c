#include "tuner/measure/timer.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tuner/measure/statistics.hpp"

namespace warptune::tuner {
namespace {

// How long the host may take to queue a graph, by the number of its calls. Replaying another graph
// than the last one made the device wait up to 0.3 us per call inside the span on an H200 when it had nothing else to do.
constexpr std::uint64_t lead_in_per_call_ns = 400;
constexpr std::size_t few_calls = 16, many_calls = 256;
constexpr int fixed_cost_blocks = 9;

}  // namespace

Timer::Timer(runtime::Device& device, runtime::StreamHandle stream, Feed feed)
    : device_(device), stream_(stream), feed_(std::move(feed)), stopwatch_(device, stream) {}

TimedGraph Timer::capture(const Enqueue& call, std::size_t calls, bool rehearsed) {
  TimedGraph graph;
  graph.calls_ = allowed(calls);
  graph.used_sets_ = std::min(graph.calls_, feed_.sets);
  graph.rehearsed_ = rehearsed;
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
  if (feed_.watch != nullptr) feed_.watch->begin();
  if (graph.rehearsed_) graph.graph_->launch(stream_);
  if (feed_.prepare) feed_.prepare(graph.used_sets_);
  if (feed_.watch != nullptr) feed_.watch->before(lead_in_ns + lead_in_per_call_ns * graph.calls_);
  stopwatch_.start();
  graph.graph_->launch(stream_);
  stopwatch_.stop();
  if (feed_.watch != nullptr) feed_.watch->after();
  const double span_ns = stopwatch_.elapsed_ns();
  if (feed_.watch != nullptr) feed_.watch->ended();
  gpu_ns_ += graph.rehearsed_ ? 2 * span_ns : span_ns;
  return (span_ns - std::min(fixed_ns_, span_ns / 2)) / static_cast<double>(graph.calls_);
}

double Timer::cancel_fixed_cost(const Enqueue& call) {
  fixed_ns_ = 0;
  TimedGraph few = capture(call, few_calls), many = capture(call, many_calls);
  const double few_calls_made = static_cast<double>(few.calls_),
               many_calls_made = static_cast<double>(many.calls_);
  if (few.calls_ == many.calls_) return 0;  // the feed allows no second point
  std::vector<double> few_ns, many_ns;
  for (int i = 0; i < fixed_cost_blocks; ++i) {
    few_ns.push_back(time_block(few) * few_calls_made);
    many_ns.push_back(time_block(many) * many_calls_made);
  }
  const double per_call_ns = (median(many_ns) - median(few_ns)) / (many_calls_made - few_calls_made);
  fixed_ns_ = std::max(0.0, median(few_ns) - few_calls_made * per_call_ns);
  return fixed_ns_;
}

std::size_t Timer::calls_for(double block_ns, double call_ns, std::size_t most) const {
  const double wanted = std::ceil(block_ns / std::max(call_ns, 1.0));
  return static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(allowed(most))));
}

std::size_t Timer::allowed(std::size_t calls) const {
  return std::max<std::size_t>(feed_.revisit ? calls : std::min(calls, feed_.sets), 1);
}

}  // namespace warptune::tuner
