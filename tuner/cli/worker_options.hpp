// Options of commands that measure in worker processes, and where they lead. One thread at a time.
#pragma once

#include <memory>
#include <vector>

#include <warptune/tuner/worker_session.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/device_choice.hpp"

namespace warptune::tuner {

// How the workers of a command are run.
struct WorkerSettings {
  WorkerLimits limits;
  int compile_workers = 0;                                          // 0: one per core
  enum class Shared { wait, refuse, share } shared = Shared::wait;  // where another tuner holds the GPU
};

std::vector<OptionSpec> worker_options();
// Error usage.
WorkerSettings worker_settings(const Arguments& arguments);

// Evaluators on a GPU of this machine, whose lock is held as long as this lives. Says on `context.err` that it waits for
// another tuner. Errors: no_device (none, or it is taken and nobody wants to wait), cuda, not_found (the worker's
// program); Interrupted while it waits.
std::unique_ptr<EvaluatorSource> open_worker_source(int ordinal, const EvaluatorSettings& settings,
                                                    const WorkerSettings& workers, const Context& context);

}  // namespace warptune::tuner
