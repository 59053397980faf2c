// Tuning from inside an application: what RuntimeOptions::tuner takes for OnMiss::tune.
#pragma once

#include <warptune/runtime/misses.hpp>
#include <warptune/tuner/tune.hpp>
#include <warptune/tuner/worker_session.hpp>

namespace warptune::tuner {

struct MissTuning {
  WorkerOptions workers;  // ordinal and policy are those of the miss
  // How long, and how; policy and shared_gpu are set here. The launch that missed waits for it.
  TuneOptions tune = thirty_seconds();
  static TuneOptions thirty_seconds() {
    TuneOptions options;
    options.strategy = "auto";
    options.budget.seconds = 30;
    return options;
  }
};

// Tunes each miss in `warptune-worker` processes, which make operands of their own, run nothing in the application's context,
// and are gone when it returns; stores what it finds in the miss's database where that can be written. The application may
// use the GPU meanwhile, so no winner is certified. Thread-safe. Errors of the result, which the runtime turns into a
// warning: not_found (the worker's program), no_device (the GPU cannot be found by another process), bad_input, cuda,
// compile (every candidate failed).
runtime::TuneMiss miss_tuner(MissTuning how = {});

}  // namespace warptune::tuner
