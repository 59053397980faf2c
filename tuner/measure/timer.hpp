// Times a call by replaying a graph of many of them between two events. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <warptune/runtime/device.hpp>

#include "tuner/measure/block_watch.hpp"
#include "tuner/measure/handles.hpp"

namespace warptune::tuner {

// What is timed: puts one call on the stream, over operand set `set`.
using Enqueue = std::function<void(std::size_t set, runtime::StreamHandle stream)>;

// How long the host may take to queue two events and what is between them.
inline constexpr std::uint64_t lead_in_ns = 30'000;

// How calls are fed with operands.
struct Feed {
  std::size_t sets = 1;  // call i of a graph uses set i % sets
  bool revisit = true;   // false: a graph has at most `sets` calls
  // Before each timed span, on the same stream; `used`: sets it touches.
  std::function<void(std::size_t used)> prepare = {};
  BlockWatch* watch = nullptr;  // also keeps the stream busy while the host queues a span; null: nobody does
};

// A graph of `calls` calls, ready to be timed again and again.
class TimedGraph {
 public:
  std::size_t calls() const { return calls_; }

 private:
  friend class Timer;
  std::unique_ptr<runtime::Graph> graph_;
  std::size_t calls_ = 0;
  std::size_t used_sets_ = 0;
  bool rehearsed_ = false;
};

class Timer {
 public:
  // What the functions of `feed` refer to must outlive the timer.
  Timer(runtime::Device& device, runtime::StreamHandle stream, Feed feed);

  // A graph of `calls` calls, or of as many as the feed allows. `rehearsed`: replayed once, untimed, right before each timed
  // replay, so that operands and the launches themselves, which the device reads from its memory, are in the cache. Errors: those
  // of `call` and of the device.
  TimedGraph capture(const Enqueue& call, std::size_t calls, bool rehearsed = false);
  // Time per call in ns: the span between two events around one replay, less the fixed cost, divided by the number of calls.
  // Errors: cuda when the work failed.
  double time_block(TimedGraph& graph);
  // What a replay costs beside its calls (events, start of the graph), in ns, taken off every span from now on, though never more
  // than half of it. Measured by slope, with graphs of few and of many calls of something short. Errors: those of `call`; cuda.
  double cancel_fixed_cost(const Enqueue& call);
  // For graphs that are captured from now on.
  void set_feed(Feed feed) { feed_ = std::move(feed); }
  // Calls that fill a block of `block_ns` at `call_ns` each: 1 to `most`, and no more than the feed allows.
  std::size_t calls_for(double block_ns, double call_ns, std::size_t most) const;

  double fixed_cost_ns() const { return fixed_ns_; }  // that is taken off
  double gpu_ns() const { return gpu_ns_; }           // timed so far

 private:
  std::size_t allowed(std::size_t calls) const;

  runtime::Device& device_;
  runtime::StreamHandle stream_;
  Feed feed_;
  Stopwatch stopwatch_;
  double gpu_ns_ = 0;
  double fixed_ns_ = 0;
};

}  // namespace warptune::tuner
