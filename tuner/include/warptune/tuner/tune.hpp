// The tuning loop: propose, evaluate, record, race, choose. One thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <warptune/db/store.hpp>
#include <warptune/tuner/evaluator.hpp>
#include <warptune/tuner/strategy.hpp>

namespace warptune::tuner {

// Ends when any limit is reached; 0: no such limit. Without any limit a strategy that learns ends after 400 idle trials in
// spaces of over 4096 configs. Stored outcomes that answer for a proposal count as trials, so that the
// same command goes on where it was interrupted.
struct Budget {
  std::int64_t trials = 0;
  double seconds = 0;            // of the search; the deciding race comes on top
  double gpu_seconds = 0;        // likewise
  double target_ns = 0;          // a screened time that is good enough
  std::int64_t idle_trials = 0;  // trials in a row that bring no better time
};

struct TuneOptions {
  std::string strategy = "exhaustive";
  ModelParts parts;        // of the model-based strategies
  bool warm_start = true;  // winners stored for other problems of the kernel are tried first
  std::uint64_t seed = 1;
  Budget budget;
  std::string policy = "cold";
  std::string command;  // stored with the run
  bool resume =
      true;  // outcomes stored for this problem, toolchain and origin answer for their configs: not measured again
  // The finalists are also timed at neighbouring problems (each free dim at 2, 1/2, 3/2 and 3/4 of its value), for at most 15 % of
  // the time that the run took until then, or four seconds where that is more.
  bool neighbours = true;
  // Another tuner measures on the same GPU: no winner is certified, and the run's `clocks` hold shared_gpu = 1.
  bool shared_gpu = false;
  const std::atomic<bool>* stop =
      nullptr;  // set by a signal handler: finish the candidate in hand, store, return
};

// What the listener hears; never called concurrently. Compile progress may come from a thread of the builder.
struct TuneProgress {
  enum class Stage { compile, evaluate, race, done } stage = Stage::compile;
  std::int64_t done = 0, total = 0;
  std::map<OutcomeStatus, std::int64_t> counts;
  std::optional<double> best_ns;
  std::optional<double>
      gpu_busy;  // share of the run's time that the GPU spent on candidates; not while compiling
  const Outcome* outcome = nullptr;  // the one just finished, else null
};

struct TuneResult {
  std::vector<db::WinnerRecord>
      winners;  // one per alignment class, ascending; empty when every candidate failed
  std::map<OutcomeStatus, std::int64_t> counts;
  std::map<OutcomeStatus, std::string> examples;  // one "config: reason" per failure kind
  std::vector<db::NeighbourTime> neighbours;      // what TuneOptions::neighbours gave
  std::string neighbours_failure;  // why there are fewer than there might be; empty: there are not
  db::RunEnd end;
  std::int64_t reused = 0;  // outcomes taken from the database
  bool interrupted = false;
  std::string
      ended;  // why the search ended: "space", "trials", "seconds", "gpu_seconds", "target", "idle", "stopped"
  std::optional<std::string> store_error;  // why outcomes from some point on, and the winners, are not stored
  std::string verdict;                     // one honest paragraph
};

// The default config is tried first and takes part in the final comparison. Each outcome is stored before the next candidate
// starts. When the run is stopped, or every candidate failed, no winner is stored and older winners stay.
// Else those of the problem whose configs the template has no more give way to the new ones, certified or not.
// `store` may be null: nothing is saved. Errors: bad_input when no config meets the constraints;
// not_found for an unknown strategy; database (the run could not be begun); what the evaluator throws. When storing fails
// later, a full disk say, the search goes on, what was stored before stays, and TuneResult::store_error says why.
TuneResult tune(Evaluator& evaluator, db::Store* store, const TuneOptions& options,
                const std::function<void(const TuneProgress&)>& listener = {});

}  // namespace warptune::tuner
