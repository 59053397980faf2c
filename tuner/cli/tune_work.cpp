#include "tuner/cli/tune_work.hpp"

#include <atomic>
#include <exception>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "tuner/cli/database_view.hpp"
#include "tuner/cli/progress_bar.hpp"
#include "tuner/cli/screen.hpp"
#include "tuner/cli/tune_output.hpp"
#include "tuner/loop/outcome_record.hpp"

namespace warptune::tuner {
namespace {

// What the devices of one command share. Thread-safe.
class Shared {
 public:
  Shared(const TuneWork& work, bool several_devices)
      : work_(work),
        screen_(work.context.err, work.context.err_is_terminal && several_devices, std::ssize(work.tasks)) {}

  // Null: none is left, or nobody should go on.
  const TuneTask* next() {
    const std::lock_guard lock(mutex_);
    const bool stopped = work_.options.stop != nullptr && work_.options.stop->load();
    if (stopped || failure_ || next_ == work_.tasks.size()) return nullptr;
    return &work_.tasks[next_++];
  }
  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  // Opened before anything is searched, so that hours of work cannot end in a file that was never writable.
  std::optional<db::Store> open_store() {
    if (!work_.save) return std::nullopt;
    const std::lock_guard lock(mutex_);
    try {
      return open_for_writing(work_.context);
    } catch (const Error& error) {
      throw Error(error.kind(), error.what(), error.hint() + ", or add --no-save", error.native_code());
    }
  }

  Screen& screen() { return screen_; }
  void leave_out(std::atomic<std::int64_t>& count) {
    ++count;
    screen_.leave_out_problem();
  }
  std::atomic<bool> interrupted = false;
  std::atomic<std::int64_t> without_winner = 0, already_tuned = 0, of_other_devices = 0;
  TuneReport report() const {
    return {without_winner, already_tuned, of_other_devices, interrupted || next_ < work_.tasks.size()};
  }

 private:
  const TuneWork& work_;
  std::mutex mutex_;
  Screen screen_;
  std::size_t next_ = 0;
  std::exception_ptr failure_;
};

// One that the runtime would use.
bool has_winner(const db::Store& store, const db::ProblemKey& key, const spec::Instance& instance) {
  bool found = false;
  store.visit_winners(key.device, key.kernel, [&](const db::StoredWinner& winner) {
    found = found || (winner.problem == key && winner.origin == db::Origin::measured &&
                      may_run(instance, winner.winner.config));
  });
  return found;
}

// Whether a task is to be left out on the device with these traits, which is counted then.
bool left_out(const TuneTask& task, const spec::DeviceTraits& traits, const TuneWork& work,
              const std::optional<db::Store>& store, Shared& shared) {
  const spec::Instance instance(task.spec, task.problem, traits);
  const db::ProblemKey key = runtime::problem_key(instance, work.options.policy);
  if (task.device && *task.device != key.device) {
    shared.leave_out(shared.of_other_devices);
    return true;
  }
  if (!work.skip_tuned || !store || !has_winner(*store, key, instance)) return false;
  shared.leave_out(shared.already_tuned);
  return true;
}

void tune_on(EvaluatorSource& source, const std::string& label, const TuneWork& work, Shared& shared) {
  TuneOptions options = work.options;
  options.shared_gpu = source.shares_gpu();
  const Context& context = work.context;
  TuneOutput output(context, !work.save, label, shared.screen());
  std::optional<db::Store> store;
  bool first = true;
  while (const TuneTask* task = shared.next()) {
    const std::optional<runtime::DeviceInfo> device = source.device();
    if (device && !first && left_out(*task, device->traits, work, store, shared)) continue;
    const std::unique_ptr<Evaluator> evaluator = source.open(task->spec, task->problem);
    const bool opens = std::exchange(first, false);
    if (opens) store = shared.open_store();
    if ((opens || !device) && left_out(*task, evaluator->instance().device(), work, store, shared)) continue;
    const db::ProblemKey key = runtime::problem_key(evaluator->instance(), options.policy);
    output.start(key, *evaluator, options);
    ProgressBar bar(context.err, context.err_is_terminal && label.empty());
    const TuneResult result =
        tune(*evaluator, store ? &*store : nullptr, options, [&](const TuneProgress& progress) {
          bar.update(progress);
          shared.screen().update(label, progress);
          output.progress(evaluator->instance().spec(), progress);
        });
    bar.clear();
    shared.screen().finish_problem(label);
    output.result(key, result);
    if (result.store_error)
      throw Error(ErrorKind::io, "the winners above were not stored: " + *result.store_error,
                  "the same command goes on from what was stored before");
    if (result.interrupted) shared.interrupted = true;
    if (result.winners.empty() && !result.interrupted) ++shared.without_winner;
  }
}

using Sources = std::vector<std::unique_ptr<EvaluatorSource>>;

// All at once: making a context takes a second or more.
Sources open_all(const std::vector<DeviceChoice>& devices, const OpenSource& open) {
  Sources sources(devices.size());
  std::vector<std::exception_ptr> failures(devices.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < devices.size(); ++i)
      threads.emplace_back([&, i] {
        try {
          sources[i] = open(devices[i]);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return sources;
}

// Times of other models would be rows of other devices, and nobody could foresee which problem goes where.
void keep_one_model(Sources& sources, bool all_needed, const Context& context) {
  const runtime::DeviceInfo first = sources.front()->device().value();
  std::erase_if(sources, [&](const auto& source) {
    const runtime::DeviceInfo device = source->device().value();
    if (runtime::device_key(device.traits) == runtime::device_key(first.traits)) return false;
    const std::string text =
        device.label + " is a " + device.traits.model + ", " + first.label + " a " + first.traits.model;
    if (all_needed)
      throw Error(ErrorKind::bad_input, "GPUs of several models cannot share problems: " + text,
                  "name GPUs of one model");
    context.err << "warptune: left out: " << text << std::endl;
    return true;
  });
}

}  // namespace

TuneReport tune_problems(const TuneWork& work, const std::vector<DeviceChoice>& devices,
                         const OpenSource& open, bool all_needed) {
  Shared shared(work, devices.size() > 1);
  if (devices.size() == 1) {
    tune_on(*open(devices.front()), "", work, shared);
    return shared.report();
  }
  Sources sources = open_all(devices, open);
  keep_one_model(sources, all_needed, work.context);
  {
    std::vector<std::jthread> threads;
    for (const auto& source : sources)
      threads.emplace_back([&] {
        try {
          tune_on(*source, source->device()->label, work, shared);
        } catch (...) {
          shared.fail(std::current_exception());
        }
      });
  }
  shared.rethrow();
  return shared.report();
}

}  // namespace warptune::tuner
