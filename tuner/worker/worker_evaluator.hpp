// The evaluator whose candidates run in a measuring worker and are compiled by a pool. One thread at a time.
#pragma once

#include <memory>
#include <string>

#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/tuner/worker_session.hpp>

#include "tuner/worker/measuring_worker.hpp"

namespace warptune::tuner {

// What all evaluators of a session share; the session keeps it alive.
struct WorkerParts {
  MeasuringWorker& worker;
  runtime::KernelBuilder& builder;  // whose compiler is the pool
  const WorkerOptions& options;
  std::string cache_folder;                         // that builder and worker share
  const Evaluator*& opened_by;                      // whose problem the worker has open
  std::optional<double>& read_ceiling_bytes_per_s;  // measured once
};

std::unique_ptr<Evaluator> make_worker_evaluator(const WorkerParts& parts, const spec::Instance& instance);

}  // namespace warptune::tuner
