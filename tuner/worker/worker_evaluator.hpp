// The evaluator whose candidates run in a measuring worker and are compiled by a pool. One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <warptune/tuner/ceilings.hpp>
#include <warptune/tuner/host_operands.hpp>
#include <warptune/tuner/worker_session.hpp>

#include "tuner/worker/compiler_pool.hpp"
#include "tuner/worker/measuring_worker.hpp"

namespace warptune::tuner {

// What all evaluators of a session share; the session keeps it alive.
struct WorkerParts {
  MeasuringWorker& worker;
  std::shared_ptr<CompilerPool> pool;
  const WorkerOptions& options;
  std::string cache_folder;  // that compilers and worker share
  Stopped stopped;
  const Evaluator*& opened_by;        // whose problem the worker has open
  std::optional<Ceilings>& ceilings;  // measured once
};

std::unique_ptr<Evaluator> make_worker_evaluator(const WorkerParts& parts, const spec::Instance& instance,
                                                 const HostOperands& operands = {});

}  // namespace warptune::tuner
