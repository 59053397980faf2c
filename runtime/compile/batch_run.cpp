#include "runtime/compile/batch_run.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace warptune::runtime {

BatchRun::BatchRun(std::deque<Batch> batches, Compile compile, Finished finished)
    : compile_(std::move(compile)), finished_(std::move(finished)) {
  for (Batch& batch : batches) queue_.push_back({std::move(batch), {}, false, nullptr});
}

void BatchRun::run(int threads) {
  const std::size_t workers = std::min<std::size_t>(static_cast<std::size_t>(threads), queue_.size());
  {
    std::vector<std::jthread> pool;
    for (std::size_t i = 1; i < workers; ++i) pool.emplace_back([this] { work(); });
    work();
  }
  if (failure_) std::rethrow_exception(failure_);
}

void BatchRun::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !queue_.empty() || busy_ == 0 || failure_; });
    if (queue_.empty() || failure_) return;
    const Job job = std::move(queue_.front());
    queue_.pop_front();
    ++busy_;
    lock.unlock();
    std::vector<CompileResult> results;
    std::exception_ptr thrown;
    try {
      results = compile_(job.batch);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    --busy_;
    try {
      if (!thrown) settle(job, std::move(results));
    } catch (...) {  // the caller's progress function
      thrown = std::current_exception();
    }
    if (thrown && !failure_) failure_ = thrown;
    changed_.notify_all();
  }
}

void BatchRun::settle(const Job& job, std::vector<CompileResult> results) {
  const auto bad =
      std::find_if(results.begin(), results.end(), [](const CompileResult& r) { return !r.kernel; });
  const bool by_source = bad == results.end() || bad->fault == CompileFault::source;
  const std::string error = bad == results.end() ? std::string() : bad->error;
  if (bad == results.end() || job.batch.size() == 1 || results.front().source_fails) {
    finished_(job.batch, std::move(results));
    learn(job, by_source && error == job.cause);
  } else if (!by_source) {
    // A limit that was reached costs as much each time: the culprit is met once more, and not once per halving.
    const std::string cause = job.cause.empty() ? error : job.cause;
    for (const std::size_t index : job.batch) queue_.push_front({{index}, cause, job.investigated, nullptr});
  } else if (job.cause.empty()) {
    take_apart_whole(job, error, std::move(results));
  } else {
    halve(job, job.cause, job.investigated);
  }
}

void BatchRun::take_apart_whole(const Job& job, const std::string& error,
                                std::vector<CompileResult> results) {
  Family& family = families_[error];
  switch (family.state) {
    case Family::State::unknown:
      family.state = Family::State::investigated;
      family.undecided = job.batch.size();
      halve(job, error, true);
      break;
    case Family::State::investigated:
      family.waiting.emplace_back(job, std::move(results));
      break;
    case Family::State::common:
      try_three(job, error, std::move(results));
      break;
    case Family::State::mixed:
      halve(job, error, false);
      break;
  }
}

// What was taken apart comes before whole batches, so that the kind of an error shows early.
void BatchRun::halve(const Job& job, const std::string& cause, bool investigated) {
  const auto middle = job.batch.begin() + static_cast<std::ptrdiff_t>(job.batch.size() / 2);
  queue_.push_front({{middle, job.batch.end()}, cause, investigated, nullptr});
  queue_.push_front({{job.batch.begin(), middle}, cause, investigated, nullptr});
}

void BatchRun::try_three(const Job& job, const std::string& error, std::vector<CompileResult> results) {
  const std::size_t last = job.batch.size() - 1;
  if (last < 3) {
    halve(job, error, false);
    return;
  }
  auto rest = std::make_shared<Rest>();
  for (std::size_t i = 0; i <= last; ++i) {
    if (i == 0 || i == last / 2 || i == last) {
      queue_.push_front({{job.batch[i]}, error, false, rest});
      ++rest->undecided;
    } else {
      rest->batch.push_back(job.batch[i]);
      rest->results.push_back(std::move(results[i]));
    }
  }
}

void BatchRun::learn(const Job& job, bool same_error) {
  if (job.cause.empty()) return;
  if (!same_error) end_investigation(job.cause, Family::State::mixed);
  if (job.investigated && same_error && --families_[job.cause].undecided == 0)
    end_investigation(job.cause, Family::State::common);
  if (!job.rest) return;
  Rest& rest = *job.rest;
  rest.same_error = rest.same_error && same_error;
  if (--rest.undecided > 0) return;
  if (!rest.same_error) {
    halve({rest.batch, {}, false, nullptr}, job.cause, false);
    return;
  }
  for (CompileResult& result : rest.results) result.error += " (not compiled alone: all that were failed so)";
  finished_(rest.batch, std::move(rest.results));
}

// An error once found to be mixed stays so.
void BatchRun::end_investigation(const std::string& error, Family::State state) {
  Family& family = families_[error];
  if (family.state != Family::State::mixed) family.state = state;
  for (auto& [job, results] : std::exchange(family.waiting, {}))
    take_apart_whole(job, error, std::move(results));
}

}  // namespace warptune::runtime
