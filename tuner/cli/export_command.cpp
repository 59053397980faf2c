// `warptune export`: the database as one document for other programs, or for `warptune import`.
#include <algorithm>

#include <warptune/base/error.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/cli/winner_table.hpp"
#include "tuner/report/config_text.hpp"
#include "tuner/report/formats.hpp"
#include "tuner/report/run_json.hpp"
#include "tuner/report/t4.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune export > all.json                        (`warptune import` reads it)\n"
    "  warptune export --format csv > winners.csv\n"
    "  warptune export dot --what outcomes --format csv\n"
    "  warptune export dot --types T=half --dims n=2^24 --format t4 > t4.json\n";

Table outcome_table(const db::Store& store, const ProblemFilter& filter) {
  const auto column = [](const char* name) { return Column{name, name, Show::text, Place::row}; };
  Table table{"outcomes", {}, {}};
  for (const char* name : {"kernel",       "types",           "dims",      "attributes",
                           "numerics",     "policy",          "device",    "config",
                           "status",       "reason",          "time_ns",   "blocks",
                           "max_error",    "verified_ragged", "registers", "local_bytes",
                           "shared_bytes", "alignment_bytes", "origin",    "run",
                           "at_unix_ms"})
    table.columns.push_back(column(name));
  std::vector<db::ProblemKey> problems = store.problems(filter.kernel);
  std::sort(problems.begin(), problems.end());
  for (const db::ProblemKey& key : problems) {
    if (!filter.matches(key)) continue;
    for (const db::StoredOutcome& stored : store.outcomes(key)) {
      const db::OutcomeRecord& outcome = stored.outcome;
      table.rows.push_back({key.kernel,
                            types_text(key.types),
                            named(all_dims(key)),
                            named(key.attributes),
                            key.numerics,
                            key.policy,
                            key.device.model,
                            outcome.config,
                            outcome.status,
                            outcome.reason,
                            optional_cell(outcome.time_ns),
                            static_cast<std::int64_t>(outcome.blocks_ns.size()),
                            optional_cell(outcome.max_error),
                            outcome.verified_ragged,
                            std::int64_t{outcome.registers},
                            std::int64_t{outcome.local_bytes},
                            std::int64_t{outcome.shared_bytes},
                            std::int64_t{outcome.alignment_bytes},
                            std::string(db::to_text(stored.origin)),
                            stored.run,
                            outcome.at_unix_ms});
    }
  }
  return table;
}

// An export is read elsewhere: only what holds anywhere is said, not how it compares with this machine.
Table winners_of(const db::Store& store, const ProblemFilter& filter) {
  std::vector<db::StoredWinner> winners = store.winners(std::nullopt, filter.kernel);
  std::erase_if(winners, [&](const db::StoredWinner& each) { return !filter.matches(each.problem); });
  return winner_table(winners, Freshness({}, &store), unix_now_s());
}

// Writes an array run by run: a large database does not fit twice into memory.
class ArrayWriter {
 public:
  ArrayWriter(std::ostream& out, const char* name) : out_(out) { out_ << ",\n\"" << name << "\": ["; }
  ~ArrayWriter() { out_ << "]"; }
  ArrayWriter(const ArrayWriter&) = delete;
  ArrayWriter& operator=(const ArrayWriter&) = delete;
  void add(const JsonValue& value) {
    out_ << (first_ ? "\n" : ",\n") << json_text(value);
    first_ = false;
  }

 private:
  std::ostream& out_;
  bool first_ = true;
};

// Everything, in a form that `import` reads back. The winners are there for readers; import takes them from the runs.
void write_exchange(const db::Store& store, const ProblemFilter& filter, std::ostream& out) {
  out << "{\"format\": " << json_text(exchange_format);
  {
    ArrayWriter winners(out, "winners");
    const Table table = winners_of(store, filter);
    for (const std::vector<Cell>& row : table.rows) winners.add(json_of_row(table, row));
  }
  {
    ArrayWriter runs(out, "runs");
    store.visit_runs(filter.kernel, db::RunParts::all, [&](const db::StoredRun& run) {
      if (filter.matches(run.problem)) runs.add(json_of(run));
    });
  }
  {
    ArrayWriter times(out, "reference_times");
    for (const db::ReferenceTime& time : store.reference_times(filter.kernel)) times.add(json_of(time));
  }
  {
    ArrayWriter calibrations(out, "calibrations");
    for (const db::Calibration& each : store.calibrations()) calibrations.add(json_of(each));
  }
  out << "}\n";
}

void write_t4(const db::Store& store, const ProblemFilter& filter, const Context& context) {
  std::int64_t problems = 0;
  context.out << "{\"schema_version\": " << json_text(t4_version);
  {
    ArrayWriter results(context.out, "results");
    for (const db::ProblemKey& problem : store.problems(filter.kernel)) {
      if (!filter.matches(problem)) continue;
      ++problems;
      for (const db::StoredOutcome& stored : store.outcomes(problem))
        results.add(t4_result(problem, stored.outcome));
    }
  }
  context.out << "}\n";
  if (problems > 1)
    context.err
        << "warptune: warning: " << problems
        << " problems in one T4 document, which other programs take for one search: narrow it with KERNEL, "
           "--types and --dims\n";
}

int run(const Arguments& arguments, const Context& context) {
  const std::string format = arguments.choice("format", {"json", "csv", "t4"}, "json");
  const std::string what =
      arguments.choice("what", {"all", "winners", "outcomes"}, format == "csv" ? "winners" : "all");
  if (what == "all" && format == "csv")
    throw Error(ErrorKind::usage, "CSV holds one table", "say --what winners or --what outcomes");
  if (format == "t4" && arguments.has("what") && what != "outcomes")
    throw Error(ErrorKind::usage, "T4 holds outcomes", "leave --what away");
  const std::string kernel = arguments.value("KERNEL").value_or("");
  const db::Store store = open_for_reading(context);
  const spec::TemplatePtr spec = kernel.empty() ? nullptr : template_for(kernel, store);
  const ProblemFilter filter = stated_filter(spec == nullptr ? kernel : spec->name, spec.get(), arguments);

  if (format == "t4") {
    write_t4(store, filter, context);
  } else if (what == "all") {
    write_exchange(store, filter, context.out);
  } else {
    Document document;
    document.tables.push_back(what == "winners" ? winners_of(store, filter) : outcome_table(store, filter));
    find_format(format).write(document, context.out, {});
  }
  report_faults(store, context);
  return 0;
}

}  // namespace

Command export_command() {
  using Kind = OptionSpec::Kind;
  return {"export",
          "everything as JSON; winners or outcomes as CSV; outcomes as T4",
          examples,
          {{"KERNEL", "one kernel only", false}},
          problem_options({
              {"policy", Kind::value, "cold|hot", "one policy only"},
              {"format", Kind::value, "json|csv|t4", "form of the output (default json)"},
              {"what", Kind::value, "all|winners|outcomes", "which rows (default all, for CSV winners)"},
          }),
          run};
}

}  // namespace warptune::tuner
