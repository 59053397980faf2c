// Evaluators whose candidates are compiled and run in processes of their own, so that nothing a candidate does ends the tuner,
// and no CUDA context is made in this process.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <warptune/runtime/device.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/evaluator.hpp>
#include <warptune/tuner/host_operands.hpp>

namespace warptune::tuner {

// What a candidate may take; 0: no limit.
struct WorkerLimits {
  double compile_s = 60;  // one program
  double launch_s = 10;  // one wait for the GPU: all launches of a verification, or the blocks of a screening
  double candidate_s = 60;                                    // loading, verifying and screening together
  std::int64_t compile_memory_bytes = std::int64_t{4} << 30;  // of one compile worker
};

struct WorkerOptions {
  // `warptune-worker`; empty: $WARPTUNE_WORKER where set, else beside the running program, else on PATH.
  std::filesystem::path program;
  int ordinal = 0;          // of the GPU
  int compile_workers = 0;  // 0: one per core
  WorkerLimits limits;
  // Of compiled kernels. Empty, or not to be written: one that lasts as long as the session.
  std::filesystem::path cache_folder;
  std::string policy = "cold";  // or "hot"
  std::uint64_t seed = 1;       // of the operands' values
  bool early_stop = true;       // what is much slower than the best is not timed at length
  // Set by a signal handler: the candidate in hand may finish within two seconds, then it is given up and its request
  // throws Interrupted. May be null.
  const std::atomic<bool>* stop = nullptr;
};

// The workers of one GPU, for any number of problems one after another. One thread at a time; the session must outlive its
// evaluators. A worker that dies, hangs or answers what cannot be understood is replaced, and what it worked on gets an
// outcome: crashed, timed_out, or resource_limit where the compiler ran out of memory. Only a worker that was killed from
// outside is given the same candidate once more.
class WorkerSession {
 public:
  // Starts a measuring worker. Errors: not_found (the worker's program), no_device, cuda.
  explicit WorkerSession(WorkerOptions options);
  ~WorkerSession();

  const runtime::DeviceInfo& device() const;
  // `operands`: the caller's own, in host memory that must stay as it is while the evaluator lives; every candidate is timed over
  // copies of them, and verified on them as well. Nobody writes to them.
  // Evaluators of one session take turns: going from one to another makes its operands anew. Errors: bad_input (problem, operands),
  // unsupported (NVRTC too old), no_device (no NVRTC). What is wrong with the reference kernel is thrown when a candidate is evaluated first.
  std::unique_ptr<Evaluator> open(const spec::TemplatePtr& spec, const spec::Problem& problem,
                                  const HostOperands& operands = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptune::tuner
