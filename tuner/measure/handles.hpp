// Owned streams and events of a device. Each must not outlive its device; one thread at a time.
#pragma once

#include <warptune/runtime/device.hpp>

namespace warptune::tuner {

class OwnedStream {
 public:
  explicit OwnedStream(runtime::Device& device) : device_(device), handle_(device.create_stream()) {}
  ~OwnedStream() { device_.destroy_stream(handle_); }
  OwnedStream(const OwnedStream&) = delete;
  OwnedStream& operator=(const OwnedStream&) = delete;
  runtime::StreamHandle get() const { return handle_; }

 private:
  runtime::Device& device_;
  runtime::StreamHandle handle_;
};

class OwnedEvent {
 public:
  explicit OwnedEvent(runtime::Device& device) : device_(device), handle_(device.create_event()) {}
  ~OwnedEvent() { device_.destroy_event(handle_); }
  OwnedEvent(const OwnedEvent&) = delete;
  OwnedEvent& operator=(const OwnedEvent&) = delete;
  runtime::EventHandle get() const { return handle_; }

 private:
  runtime::Device& device_;
  runtime::EventHandle handle_;
};

// Two events around work on a stream.
class Stopwatch {
 public:
  Stopwatch(runtime::Device& device, runtime::StreamHandle stream)
      : device_(device), stream_(stream), from_(device), to_(device) {}
  void start() { device_.record(from_.get(), stream_); }
  void stop() { device_.record(to_.get(), stream_); }
  // Waits for the work between start() and stop(). Error cuda when it failed.
  double elapsed_ns() { return device_.elapsed_ns(from_.get(), to_.get()); }

 private:
  runtime::Device& device_;
  runtime::StreamHandle stream_;
  OwnedEvent from_, to_;
};

}  // namespace warptune::tuner
