// `warptune merge`: files of several machines and GPUs into one.
#include <warptune/base/error.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/report/config_text.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune merge h100.db h200.db --db all.db\n"
    "  warptune merge /net/*/tuning.db --db all.db --json\n";

Table files_table() {
  return {"files",
          {{"file", "file"},
           {"runs_added", "runs", Show::number},
           {"runs_completed", "completed", Show::number},
           {"runs_known", "known", Show::number},
           {"runs_replayed", "replayed", Show::number},
           {"outcomes_added", "outcomes", Show::number},
           {"reference_times_added", "library times", Show::number},
           {"calibrations_added", "calibrations", Show::number},
           {"conflicts", "conflicts", Show::number}},
          {}};
}

Table conflicts_table() {
  return {"conflicts",
          {{"kernel", "kernel"},
           {"types", "types"},
           {"dims", "dims"},
           {"device", "device"},
           {"alignment_bytes", "align", Show::number},
           {"kept_from", "kept that of"},
           {"because", "because"},
           {"file", "file", Show::text, Place::machines},
           {"kept", "kept", Show::text, Place::machines},
           {"passed_over", "passed over", Show::text, Place::machines},
           {"summary", "summary", Show::text, Place::below}},
          {}};
}

void require_others(const std::vector<std::string>& files, const std::filesystem::path& target) {
  for (const std::string& file : files) {
    std::error_code code;
    if (std::filesystem::equivalent(file, target, code))
      throw Error(ErrorKind::usage, "'" + file + "' would be merged into itself",
                  "name the target with --db");
  }
}

int run(const Arguments& arguments, const Context& context) {
  const std::vector<std::string> files = arguments.values("FILE");
  require_others(files, context.database);
  // All are opened before the target is made or changed: a name that is wrong costs nothing.
  std::vector<db::Store> sources;
  for (const std::string& file : files) {
    Context named = context;
    named.database = file;
    sources.push_back(open_for_reading(named));
  }
  db::Store target = db::Store::open(context.database, db::OpenMode::create);

  Table table = files_table(), conflicts = conflicts_table();
  std::int64_t replayed = 0;
  for (const db::Store& source : sources) {
    const db::MergeReport report = target.merge(source);
    const std::string file = source.path().string();
    replayed += report.runs_replayed;
    table.rows.push_back({file, report.runs_added, report.runs_completed, report.runs_known,
                          report.runs_replayed, report.outcomes_added, report.reference_times_added,
                          report.calibrations_added, static_cast<std::int64_t>(report.conflicts.size())});
    for (const db::MergeConflict& each : report.conflicts)
      conflicts.rows.push_back(
          {each.problem.kernel, types_text(each.problem.types), named(all_dims(each.problem)),
           each.problem.device.model, std::int64_t{each.alignment_bytes},
           each.kept_other ? file : context.database.string(), each.because, file, each.kept,
           each.passed_over, config_text(each.kept) + ", not " + config_text(each.passed_over)});
  }
  Document document;
  document.fields = {{"database", context.database.string()}};
  document.tables = {std::move(table), std::move(conflicts)};
  if (replayed > 0)
    document.notes.emplace_back(
        "Replayed runs were left out: what they hold is in the recordings that they replayed.");
  context.print(document);
  for (const db::Store& source : sources) report_faults(source, context);
  return 0;
}

}  // namespace

Command merge_command() {
  return {"merge",  "add what other databases hold, of any GPUs, to the one named by --db",
          examples, {{"FILE", "databases to add; they are only read", true, true}},
          {},       run};
}

}  // namespace warptune::tuner
