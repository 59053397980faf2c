#include "tuner/worker/measuring_worker.hpp"

#include <fmt/format.h>

#include <utility>

#include <warptune/tuner/evaluator.hpp>

#include "tuner/worker/start.hpp"

namespace warptune::tuner {
namespace {

// Making a context on a machine with many large GPUs takes seconds.
constexpr double start_s = 120;
// What a candidate in hand may still take after the first Ctrl-C.
constexpr auto grace = std::chrono::seconds(2);
// A worker that waits for requests takes one at once.
constexpr double send_s = 10;

std::string with_words(std::string text, const std::string& words) {
  return words.empty() ? text : text + ": " + words;
}

}  // namespace

MeasuringWorker::MeasuringWorker(MeasuringWorkerOptions options) : options_(std::move(options)) { start(); }

void MeasuringWorker::start() {
  WorkerStart started = start_worker(options_.program, options_.arguments, start_s, options_.stopped);
  const runtime::DeviceInfo device = read_device_info(started.hello);
  if (generation_ > 0 && device.bus_id != device_.bus_id)
    throw Error(ErrorKind::internal, "another GPU has become " + device.label + " while tuning",
                "leave the machine's GPUs alone while tuning");
  process_ = std::move(started.process);
  device_ = device;
  ++generation_;
}

void MeasuringWorker::require() {
  if (!process_) start();
}

void MeasuringWorker::discard() {
  if (process_) process_->kill();
  process_.reset();
  due_ = false;
}

Loss MeasuringWorker::lost(const Error& error, const std::string& step) {
  const std::string during = step.empty() ? "" : " (" + step + ")";
  Loss loss;
  if (error.kind() == ErrorKind::bad_input) {
    process_->kill();
    loss.reason = fmt::format("the measuring process answered nonsense{}: {}", during, error.what());
  } else {
    const Death death = process_->reap();
    loss.from_outside = death.from_outside();
    loss.reason =
        with_words(fmt::format("the measuring process {}{}", death.text(), during), process_->last_words());
  }
  process_.reset();
  return loss;
}

Reply MeasuringWorker::request(const Message& message, const RequestLimits& limits) {
  post(message);
  return collect(limits);
}

void MeasuringWorker::post(const Message& message) {
  due_ = true;
  process_->last_words();
  tell(message);
}

void MeasuringWorker::tell(const Message& message) {
  try {
    process_->channel().send(message, deadline_in(send_s));
  } catch (const Error&) {
    // Whoever collects the answer finds the socket closed, or waits in vain.
  }
}

Reply MeasuringWorker::collect(const RequestLimits& limits) {
  due_ = false;
  std::string step;
  try {
    const Deadline whole = deadline_in(limits.whole_s);
    Deadline part = deadline_in(limits.step_s);
    std::optional<Clock::time_point> stopped_at;
    const auto give_up = [&] {
      if (!options_.stopped || !options_.stopped()) return false;
      if (!stopped_at) stopped_at = Clock::now();
      return Clock::now() - *stopped_at >= grace;
    };
    for (;;) {
      std::optional<Message> answer = process_->channel().receive(earlier(whole, part), give_up);
      if (!answer) break;
      if (answer->kind != MessageKind::step) return {std::move(answer), std::nullopt};
      step = read_text_message(*answer);
      part = deadline_in(limits.step_s);
    }
    discard();
    if (stopped_at && Clock::now() - *stopped_at >= grace) throw Interrupted();
    const bool all = whole && Clock::now() >= *whole;
    return {std::nullopt, Loss{OutcomeStatus::timed_out,
                               fmt::format("{} takes more than {:g} s",
                                           all            ? "the candidate"
                                           : step.empty() ? "loading"
                                                          : step,
                                           all ? limits.whole_s : limits.step_s),
                               false}};
  } catch (const Error& error) {
    return {std::nullopt, lost(error, step)};
  }
}

}  // namespace warptune::tuner
