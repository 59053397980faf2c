#include "tuner/worker/compiler_pool.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include <warptune/tuner/evaluator.hpp>

#include "tuner/worker/start.hpp"

namespace warptune::tuner {
namespace {

using runtime::CompileFault;

// A worker that has not said what it is by then never will.
constexpr double start_s = 60;
constexpr auto between_looks = std::chrono::milliseconds(100);

// One result per entry of the request, in its order, is what a compiler promises.
bool answers(const std::vector<runtime::CompileResult>& results, const runtime::CompileRequest& request) {
  return std::equal(results.begin(), results.end(), request.entries.begin(), request.entries.end(),
                    [](const auto& result, const std::string& entry) { return result.entry == entry; });
}

}  // namespace

CompilerPool::CompilerPool(CompilerPoolOptions options) : options_(std::move(options)) {
  idle_.push_back(start(hello_));
  alive_ = 1;
}

CompilerPool::~CompilerPool() {
  for (const auto& worker : idle_) worker->close();  // all at once; each is waited for when it is destroyed
}

std::unique_ptr<WorkerProcess> CompilerPool::start(CompilerHello& hello) const {
  WorkerStart started = start_worker(options_.program, options_.arguments, start_s, options_.stopped);
  hello = read_compiler_hello(started.hello);
  return std::move(started.process);
}

CompilerPool::Taken CompilerPool::take(const Stopped& stopped, bool must_be_new) const {
  std::unique_ptr<WorkerProcess> used;
  {
    std::unique_lock lock(mutex_);
    const auto free = [this] { return !idle_.empty() || alive_ < options_.workers; };
    while (!changed_.wait_for(lock, between_looks, free))
      if (stopped && stopped()) throw Interrupted();
    if (!idle_.empty() && (!must_be_new || alive_ == options_.workers)) {
      used = std::move(idle_.back());
      idle_.pop_back();
      if (!must_be_new) return {std::move(used), false};
    } else {
      ++alive_;
    }
  }
  used.reset();
  try {
    CompilerHello hello;
    std::unique_ptr<WorkerProcess> worker = start(hello);
    if (hello.identity != hello_.identity)
      throw Error(ErrorKind::internal,
                  "compile workers found different compilers: " + hello.identity + " and " + hello_.identity,
                  "leave CUDA's installation alone while tuning");
    return {std::move(worker), true};
  } catch (...) {
    put_back(nullptr);
    throw;
  }
}

void CompilerPool::put_back(std::unique_ptr<WorkerProcess> worker) const {
  const std::lock_guard lock(mutex_);
  if (worker)
    idle_.push_back(std::move(worker));
  else
    --alive_;
  changed_.notify_one();
}

CompilerPool::Answer CompilerPool::ask(const Message& request, const Stopped& stopped,
                                       bool in_new_process) const {
  auto [worker, is_new] = take(stopped, in_new_process);
  Answer answer;
  answer.in_new_process = is_new;
  try {
    const Deadline deadline = deadline_in(options_.program_s);
    worker->last_words();
    worker->channel().send(request, deadline);
    std::optional<Message> message = worker->channel().receive(deadline, stopped);
    if (message) {
      put_back(std::move(worker));
      answer.message = std::move(*message);
      return answer;
    }
    worker->kill();
    answer.failure = fmt::format("compiling takes more than {:g} s", options_.program_s);
    answer.fault = CompileFault::timed_out;
  } catch (const Error& error) {
    // A reader that meets nonsense leaves a worker that still runs.
    const Death death = error.kind() == ErrorKind::bad_input ? worker->kill() : worker->reap();
    if (error.kind() == ErrorKind::bad_input) {
      answer.failure = std::string("the compiler's process answered nonsense: ") + error.what();
      answer.fault = CompileFault::crashed;
    } else if (!death.signal && death.exit_code == exit_out_of_memory) {
      answer.failure = "compiling needs more memory than a compile worker may use";
      answer.fault = CompileFault::out_of_memory;
    } else {
      const std::string words = worker->last_words();
      answer.failure = "the compiler " + death.text() + (words.empty() ? "" : ": " + words);
      answer.fault = CompileFault::crashed;
      answer.from_outside = death.from_outside();
    }
  }
  worker.reset();
  put_back(nullptr);
  if (stopped && stopped()) throw Interrupted();
  return answer;
}

bool CompilerPool::supports(const std::string& architecture) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = supported_.find(architecture); known != supported_.end()) return known->second;
  }
  const Message question = text_message(MessageKind::supports, architecture);
  Answer answer = ask(question, options_.stopped);
  if (answer.from_outside) answer = ask(question, options_.stopped);
  if (!answer.failure.empty()) throw Error(ErrorKind::io, answer.failure);
  const bool supported = read_supported(answer.message);
  const std::lock_guard lock(mutex_);
  supported_[architecture] = supported;
  return supported;
}

std::vector<runtime::CompileResult> CompilerPool::compile(const runtime::CompileRequest& request,
                                                          const Stopped& stopped) {
  const Message message = to_message(request);
  Answer answer = ask(message, stopped);
  if (answer.from_outside) answer = ask(message, stopped);
  if (!answer.failure.empty() && answer.fault == CompileFault::out_of_memory && !answer.in_new_process)
    answer = ask(message, stopped, true);
  if (answer.failure.empty()) {
    if (answer.message.kind == MessageKind::failed) throw read_error(answer.message);
    try {
      std::vector<runtime::CompileResult> results = read_compile_results(answer.message);
      if (answers(results, request)) return results;
      answer.failure = "the compiler's process answered something else";
    } catch (const Error& error) {
      answer.failure = std::string("the compiler's process answered nonsense: ") + error.what();
    }
    answer.fault = CompileFault::crashed;
  }
  std::vector<runtime::CompileResult> results;
  for (const std::string& entry : request.entries)
    results.push_back({entry, nullptr, answer.failure, answer.failure, false, false, answer.fault});
  return results;
}

}  // namespace warptune::tuner
