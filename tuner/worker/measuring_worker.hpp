// The tuner's side of one measuring worker: requests with time limits, and a new worker after one is lost. One thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <warptune/tuner/outcome.hpp>

#include "tuner/worker/process.hpp"

namespace warptune::tuner {

struct MeasuringWorkerOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::function<bool()> stopped;  // true: the request in hand may take two seconds more
};

struct RequestLimits {
  double step_s = 0;   // between two signs of life; 0: no limit
  double whole_s = 0;  // all of it
};

// How a worker was lost.
struct Loss {
  OutcomeStatus status = OutcomeStatus::crashed;  // or timed_out
  std::string reason;
  bool from_outside = false;
};

struct Reply {
  std::optional<Message> message;  // an answer, or `failed`
  std::optional<Loss> loss;        // where there is none: the worker is gone
};

class MeasuringWorker {
 public:
  // Starts a worker. Errors: not_found (the program); io (it did not start); what it says about its device.
  explicit MeasuringWorker(MeasuringWorkerOptions options);

  const runtime::DeviceInfo& device() const { return device_; }
  // Grows with each worker: what was told to an earlier one is unknown to this one.
  std::uint64_t generation() const { return generation_; }
  // Starts a worker where there is none. Errors as the constructor; also internal: the device is another one now.
  void require();
  // Precondition: require() since the last loss, and no answer is due. Throws Interrupted when it was stopped.
  Reply request(const Message& message, const RequestLimits& limits);
  // Says what is not answered. That the worker is lost is said by the next request. Precondition: as request().
  void tell(const Message& message);
  // request() in two parts: between them the worker works while the caller does something else. That it is lost is said
  // by the second. The limits count from there.
  void post(const Message& message);
  Reply collect(const RequestLimits& limits);
  bool answer_is_due() const { return due_; }
  // Ends the worker: what it did last cannot be trusted not to spoil what comes next.
  void discard();

 private:
  void start();
  Loss lost(const Error& error, const std::string& step);

  MeasuringWorkerOptions options_;
  std::unique_ptr<WorkerProcess> process_;
  runtime::DeviceInfo device_;
  std::uint64_t generation_ = 0;
  bool due_ = false;  // an answer to what was posted
};

}  // namespace warptune::tuner
