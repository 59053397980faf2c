// What `tune` prints: tables and a verdict for people, or events as JSON lines. One thread at a time.
#pragma once

#include <chrono>

#include <warptune/tuner/tune.hpp>

#include "tuner/cli/command.hpp"

namespace warptune::tuner {

// Events, one object per line, each with "event": start, compile (at most one a second), outcome, winner,
// result.
class TuneOutput {
 public:
  TuneOutput(const Context& context, bool unsaved) : context_(context), unsaved_(unsaved) {}

  void start(const db::ProblemKey& key, const Evaluator& evaluator, const TuneOptions& options);
  void progress(const spec::TemplateSpec& spec, const TuneProgress& progress);
  void result(const db::ProblemKey& key, const TuneResult& result);

 private:
  void result_events(const db::ProblemKey& key, const TuneResult& result);
  std::string next_command(const db::ProblemKey& key) const;

  const Context& context_;
  bool unsaved_;
  std::chrono::steady_clock::time_point last_compile_event_;
};

}  // namespace warptune::tuner
