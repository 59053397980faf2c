// What `tune` prints: tables and a verdict for people, or events as JSON lines. One thread at
// a time; several may print at once through outputs of their own.
#pragma once

#include <string>
#include <utility>

#include <warptune/tuner/tune.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/screen.hpp"
#include "tuner/report/document.hpp"

namespace warptune::tuner {

// Events, one object per line, each with "event": start, outcome, winner, result.
class TuneOutput {
 public:
  // `label`: of the device, where several print at once ("cuda:1"); then each event has it as "device_label".
  TuneOutput(const Context& context, bool unsaved, std::string label, Screen& screen)
      : context_(context), unsaved_(unsaved), label_(std::move(label)), screen_(screen) {}

  void start(const db::ProblemKey& key, const Evaluator& evaluator, const TuneOptions& options);
  void progress(const spec::TemplateSpec& spec, const TuneProgress& progress);
  void result(const db::ProblemKey& key, const TuneResult& result);

 private:
  void event(const std::string& name, Fields fields) const;
  void result_events(const db::ProblemKey& key, const TuneResult& result);
  std::string next_command(const db::ProblemKey& key, const TuneResult& result) const;

  const Context& context_;
  bool unsaved_;
  std::string label_;
  Screen& screen_;
};

}  // namespace warptune::tuner
