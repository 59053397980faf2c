#include "tuner/evaluate/compile_ahead.hpp"

#include <utility>

namespace warptune::tuner {
namespace {

// The next group starts while the last programs of the one before are still compiled.
constexpr int groups_at_once = 2;

}  // namespace

CompileAhead::CompileAhead(BuiltKernels& built, std::function<void()> cancel)
    : built_(built), cancel_(std::move(cancel)) {
  for (int i = 0; i < groups_at_once; ++i) threads_.emplace_back([this] { work(); });
}

CompileAhead::~CompileAhead() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  cancel_();
  changed_.notify_all();
}

void CompileAhead::add(std::span<const spec::Config> configs) {
  Group group;
  for (const spec::Config& config : configs)
    if (!built_.is_built(config)) group.push_back(config);
  if (group.empty()) return;
  const std::lock_guard lock(mutex_);
  unfinished_.insert(group.begin(), group.end());
  groups_.push_back(std::move(group));
  changed_.notify_all();
}

void CompileAhead::wait_for(const spec::Config& config) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || !unfinished_.contains(config); });
  if (failure_) std::rethrow_exception(failure_);
}

void CompileAhead::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || unfinished_.empty(); });
  if (failure_) std::rethrow_exception(failure_);
}

void CompileAhead::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ended_ || failure_ || !groups_.empty(); });
    if (ended_ || failure_) return;
    const Group group = std::move(groups_.front());
    groups_.pop_front();
    lock.unlock();
    std::exception_ptr thrown;
    try {
      built_.build(group);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    if (thrown && !failure_) failure_ = thrown;
    for (const spec::Config& config : group) unfinished_.erase(unfinished_.find(config));
    changed_.notify_all();
  }
}

}  // namespace warptune::tuner
