#include "tuner/cli/tune_output.hpp"

#include <algorithm>

#include <warptune/base/text.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "tuner/cli/problem_options.hpp"
#include "tuner/report/config_text.hpp"
#include "tuner/report/formats.hpp"

namespace warptune::tuner {
namespace {

std::string origin_text(db::Origin origin) { return db::to_text(origin); }

db::NamedValues count_values(const std::map<OutcomeStatus, std::int64_t>& counts) {
  db::NamedValues values;
  for (const auto& [status, count] : counts) values.emplace(to_string(status), count);
  return values;
}

Fields problem_fields(const db::ProblemKey& key) {
  return {{"kernel", key.kernel},      {"types", named(key.types)},           {"dims", named(all_dims(key))},
          {"numerics", key.numerics},  {"attributes", named(key.attributes)}, {"policy", key.policy},
          {"device", key.device.model}};
}

Table winners(const TuneResult& result) {
  Table table{"winners",
              {{"alignment_bytes", "align", Show::number},
               {"time_ns", "time", Show::time_ns},
               {"default_time_ns", "default", Show::time_ns},
               {"certified", "cert"},
               {"tied", "tied", Show::number},
               {"config", "config", Show::text, Place::below}},
              {}};
  for (const db::WinnerRecord& winner : result.winners)
    table.rows.push_back({std::int64_t{winner.alignment_bytes}, winner.time_ns,
                          optional_cell(winner.default_time_ns), winner.certified, winner.tied,
                          winner.config});
  return table;
}

Table outcomes(const TuneResult& result) {
  Table table{"outcomes",
              {{"outcome", "outcome"},
               {"count", "configs", Show::number},
               {"example", "for example", Show::text, Place::below}},
              {}};
  for (const auto& [status, count] : result.counts) {
    const auto example = result.examples.find(status);
    table.rows.push_back({std::string(to_string(status)), count,
                          example == result.examples.end() ? Cell() : Cell(example->second)});
  }
  return table;
}

Table phases(const TuneResult& result) {
  Table table{"phases", {{"phase", "phase"}, {"seconds", "seconds", Show::number}}, {}};
  for (const char* phase : {"compile", "load", "verify", "measure", "race", "store"}) {
    const auto found = result.end.phase_s.find(phase);
    if (found != result.end.phase_s.end()) table.rows.push_back({std::string(phase), found->second});
  }
  for (const auto& [phase, seconds] : result.end.phase_s) {
    const bool listed =
        std::any_of(table.rows.begin(), table.rows.end(),
                    [&, &name = phase](const auto& row) { return std::get<std::string>(row[0]) == name; });
    if (!listed) table.rows.push_back({phase, seconds});
  }
  table.rows.push_back({std::string("all"), result.end.wall_s});
  return table;
}

}  // namespace

std::string TuneOutput::next_command(const db::ProblemKey& key, const TuneResult& result) const {
  if (unsaved_ || result.store_error) return {};
  std::string command = "warptune show " + shell_word(key.kernel) + " " + problem_arguments(key);
  if (context_.database != "tuning.db") command += " --db " + shell_word(context_.database.string());
  return command;
}

void TuneOutput::event(const std::string& name, Fields fields) const {
  fields.insert(fields.begin(), {"event", name});
  if (!label_.empty()) fields.insert(fields.begin() + 1, {"device_label", label_});
  const auto printing = screen_.hold();
  write_json_line(fields, context_.out);
}

void TuneOutput::start(const db::ProblemKey& key, const Evaluator& evaluator, const TuneOptions& options) {
  if (context_.json) {
    Fields fields = problem_fields(key);
    fields.emplace_back("origin", origin_text(evaluator.origin()));
    fields.emplace_back("strategy", options.strategy);
    fields.emplace_back("seed", static_cast<std::int64_t>(options.seed));
    event("start", std::move(fields));
    return;
  }
  const auto printing = screen_.hold();
  context_.out << "Tuning " << key.kernel << ' ' << evaluator.instance().problem().text() << " on "
               << key.device.model << (label_.empty() ? "" : " (" + label_ + ")")
               << (evaluator.origin() == db::Origin::replayed ? " (replayed from a recording)" : "")
               << std::endl;
}

void TuneOutput::progress(const spec::TemplateSpec& spec, const TuneProgress& progress) {
  if (!context_.json || progress.outcome == nullptr) return;
  const Outcome& outcome = *progress.outcome;
  event("outcome", {{"config", runtime::stored_config(spec, outcome.config)},
                    {"status", std::string(to_string(outcome.status))},
                    {"reason", outcome.reason},
                    {"time_ns", optional_cell(outcome.time_ns())},
                    {"max_error", optional_cell(outcome.max_error)},
                    {"done", progress.done},
                    {"total", progress.total},
                    {"best_ns", optional_cell(progress.best_ns)}});
}

void TuneOutput::result_events(const db::ProblemKey& key, const TuneResult& result) {
  for (const db::WinnerRecord& winner : result.winners)
    event("winner", {{"alignment_bytes", std::int64_t{winner.alignment_bytes}},
                     {"config", winner.config},
                     {"time_ns", winner.time_ns},
                     {"default_time_ns", optional_cell(winner.default_time_ns)},
                     {"certified", winner.certified},
                     {"interval_low_ns", optional_cell(winner.interval_low_ns)},
                     {"interval_high_ns", optional_cell(winner.interval_high_ns)},
                     {"samples", winner.samples},
                     {"tied", winner.tied}});
  Fields fields = problem_fields(key);
  fields.emplace_back("counts", count_values(result.counts));
  fields.emplace_back("reused", result.reused);
  fields.emplace_back("interrupted", result.interrupted);
  fields.emplace_back("ended", result.ended);
  fields.emplace_back("space_size", result.end.space_size);
  fields.emplace_back("wall_s", result.end.wall_s);
  fields.emplace_back("gpu_s", result.end.gpu_s);
  for (const auto& [phase, seconds] : result.end.phase_s) fields.emplace_back(phase + "_s", seconds);
  for (const auto& [name, value] : result.end.clocks) fields.emplace_back(name, value);
  fields.emplace_back("verdict", result.verdict);
  const std::string next = next_command(key, result);
  fields.emplace_back("next", next.empty() ? Cell() : Cell(next));
  event("result", std::move(fields));
}

void TuneOutput::result(const db::ProblemKey& key, const TuneResult& result) {
  if (context_.json) {
    result_events(key, result);
    return;
  }
  Document document;
  document.tables = {outcomes(result), winners(result), phases(result)};
  document.notes = {result.verdict};
  const std::string next = next_command(key, result);
  if (!result.neighbours_failure.empty())
    document.notes.push_back("Some neighbouring problems were not timed: " + result.neighbours_failure);
  if (unsaved_) document.notes.emplace_back("Nothing was saved (--no-save).");
  const auto printing = screen_.hold();
  context_.print(document);
  if (!next.empty()) context_.out << "\nNext: " << next << '\n';
  context_.out << std::endl;
}

}  // namespace warptune::tuner
