#include <warptune/tuner/miss_tuner.hpp>

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include <warptune/base/error.hpp>
#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "tuner/worker/gpu_lock.hpp"

namespace warptune::tuner {
namespace {

// Devices are numbered alike in the workers: they inherit CUDA_VISIBLE_DEVICES.
int ordinal_of(const runtime::DeviceInfo& device) {
  const std::string_view digits = std::string_view(device.label).substr(device.label.find(':') + 1);
  int ordinal = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return ordinal;
}

std::optional<db::Store> open_store(const std::filesystem::path& database) {
  try {
    return db::Store::open(database, db::OpenMode::create);
  } catch (const Error&) {
    return std::nullopt;  // the runtime said so when it opened the file; this process is served all the same
  }
}

std::vector<db::StoredWinner> tune_one(const runtime::Miss& miss, MissTuning how) {
  how.workers.ordinal = ordinal_of(miss.device);
  how.workers.policy = miss.policy;
  if (how.workers.cache_folder.empty()) how.workers.cache_folder = runtime::default_cache_folder();
  WorkerSession session(how.workers);
  if (session.device().bus_id != miss.device.bus_id)
    throw Error(ErrorKind::no_device, "a worker finds another GPU under " + miss.device.label,
                "tune with `warptune tune`, on the machine's own numbering of GPUs");
  const auto lock = GpuLock::try_acquire(session.device().bus_id);  // so that other tuners wait
  how.tune.policy = miss.policy;
  how.tune.shared_gpu = true;
  how.tune.stop = how.workers.stop;
  if (how.tune.command.empty()) how.tune.command = "on_miss = tune";
  const std::unique_ptr<Evaluator> evaluator = session.open(miss.spec, miss.problem);
  std::optional<db::Store> store = open_store(miss.database);
  const TuneResult result = tune(*evaluator, store ? &*store : nullptr, how.tune);
  if (result.winners.empty())
    throw Error(ErrorKind::compile, result.interrupted ? "tuning was stopped" : "every candidate failed",
                "`warptune tune` shows what became of each");
  std::vector<db::StoredWinner> winners;
  for (const db::WinnerRecord& winner : result.winners) {
    db::StoredWinner stored;
    stored.problem = runtime::problem_key(evaluator->instance(), miss.policy);
    stored.winner = winner;
    stored.toolchain = evaluator->toolchain();
    stored.origin = evaluator->origin();
    stored.strategy = how.tune.strategy;
    winners.push_back(std::move(stored));
  }
  return winners;
}

}  // namespace

runtime::TuneMiss miss_tuner(MissTuning how) {
  return [how = std::move(how)](const runtime::Miss& miss) { return tune_one(miss, how); };
}

}  // namespace warptune::tuner
