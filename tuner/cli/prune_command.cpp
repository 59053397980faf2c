// `warptune prune`: removes what can serve nobody any more, and says what.
#include <algorithm>
#include <map>

#include <warptune/base/error.hpp>
#include <warptune/runtime/kernel_builder.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/device_choice.hpp"
#include "tuner/cli/freshness.hpp"
#include "tuner/cli/winner_table.hpp"
#include "tuner/report/config_text.hpp"
#include "tuner/report/units.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune prune --dry-run\n"
    "  warptune prune --stale --db h200.db\n"
    "  warptune prune --binaries --unused-days 7\n";

constexpr std::int64_t unused_days_by_default = 30;
constexpr std::int64_t day_s = 86400;

// A run without its outcomes.
struct Head {
  std::int64_t id = 0;
  db::ProblemKey problem;
  db::Toolchain toolchain;
  db::Origin origin = db::Origin::measured;
  bool has_winner = false;
  bool may_go_on = false;  // not ended, and begun less than a day ago: its tuner may be at work
};

std::vector<Head> heads_of(const db::Store& store) {
  std::vector<Head> heads;
  const std::int64_t now_unix_s = unix_now_s();
  store.visit_runs({}, db::RunParts::head, [&](const db::StoredRun& run) {
    heads.push_back({run.id, run.problem, run.info.toolchain, run.info.origin, !run.winners.empty(),
                     !run.ended_unix_s && age_s(run.info.started_unix_s, now_unix_s) < day_s});
  });
  return heads;
}

// Newest driver under which a problem has a winner that was measured. Only what it makes needless goes.
std::map<db::ProblemKey, int> newest_drivers(const std::vector<Head>& heads) {
  std::map<db::ProblemKey, int> newest;
  for (const Head& head : heads) {
    if (!head.has_winner || head.origin != db::Origin::measured) continue;
    int& known = newest[head.problem];
    known = std::max(known, head.toolchain.driver_version);
  }
  return newest;
}

struct Plan {
  std::vector<std::int64_t> runs;
  std::int64_t left_to_end = 0;
  Table table{"runs",
              {{"run", "run", Show::number},
               {"kernel", "kernel"},
               {"types", "types"},
               {"dims", "dims"},
               {"device", "device"},
               {"because", "because"}},
              {}};
};

Plan plan_of(const std::vector<Head>& heads, const Freshness& freshness, bool stale, bool old_driver,
             bool replayed) {
  const auto newest = newest_drivers(heads);
  Plan plan;
  for (const Head& head : heads) {
    const auto driver = newest.find(head.problem);
    std::string because;
    if (stale && freshness.template_changed(head.problem)) {
      because = freshness.of(head.problem, {});
    } else if (old_driver && driver != newest.end() && head.toolchain.driver_version < driver->second) {
      because = "old driver: " + head.toolchain.driver_name;
    } else if (replayed && head.origin == db::Origin::replayed) {
      because = "replayed";
    } else {
      continue;
    }
    if (head.may_go_on) {
      ++plan.left_to_end;
      continue;
    }
    plan.runs.push_back(head.id);
    plan.table.rows.push_back({head.id, head.problem.kernel, types_text(head.problem.types),
                               named(all_dims(head.problem)), head.problem.device.model, because});
  }
  return plan;
}

void prune_runs(const Arguments& arguments, const Context& context, bool all, bool dry_run,
                Document& document) {
  db::Store store =
      db::Store::open(context.database, dry_run ? db::OpenMode::read_only : db::OpenMode::read_write);
  const Freshness freshness({}, &store);
  Plan plan = plan_of(heads_of(store), freshness, all || arguments.has("stale"),
                      all || arguments.has("old-driver"), arguments.has("replayed"));
  const std::int64_t before = store.contents().bytes;
  const db::RemoveReport removed = store.remove_runs(plan.runs, dry_run);
  document.fields.insert(document.fields.end(), {{"database", context.database.string()},
                                                 {"runs_removed", removed.runs},
                                                 {"outcomes_removed", removed.outcomes},
                                                 {"winners_removed", removed.winners},
                                                 {"problems_removed", removed.problems},
                                                 {"devices_removed", removed.devices}});
  if (!dry_run && !plan.runs.empty()) {
    try {
      store.shrink();
    } catch (const Error& error) {
      document.notes.push_back("The file keeps its size for now: " + error.full_text() + ".");
    }
    document.fields.emplace_back("file_bytes_before", before);
    document.fields.emplace_back("file_bytes_after", store.contents().bytes);
  }
  if (plan.left_to_end > 0)
    document.notes.push_back(std::to_string(plan.left_to_end) +
                             " of them did not end and began within a day: they may go on, and stay.");
  document.tables.push_back(std::move(plan.table));
  report_faults(store, context);
}

void prune_binaries(const Arguments& arguments, bool dry_run, Document& document) {
  const std::int64_t days = arguments.count("unused-days").value_or(unused_days_by_default);
  if (days > 36500) throw Error(ErrorKind::usage, "--unused-days takes at most 36500");
  const std::filesystem::path folder = runtime::default_cache_folder();
  const runtime::CachePruned pruned = runtime::prune_cache(folder, days * day_s, dry_run);
  document.fields.insert(document.fields.end(), {{"cache_folder", folder.string()},
                                                 {"kernels_removed", pruned.kernels},
                                                 {"binaries_removed", pruned.binaries},
                                                 {"cache_bytes_removed", pruned.bytes}});
}

int run(const Arguments& arguments, const Context& context) {
  const bool dry_run = arguments.has("dry-run");
  const bool rows = arguments.has("stale") || arguments.has("old-driver") || arguments.has("replayed");
  const bool binaries = arguments.has("binaries") || arguments.has("unused-days");
  const bool all = !rows && !binaries;
  Document document;
  document.fields = {{"dry_run", dry_run}};
  if (rows || all) prune_runs(arguments, context, all, dry_run, document);
  if (binaries || all) prune_binaries(arguments, dry_run, document);
  if (dry_run) document.notes.emplace_back("Nothing was removed: --dry-run.");
  context.print(document);
  return 0;
}

}  // namespace

Command prune_command() {
  using Kind = OptionSpec::Kind;
  return {"prune",
          "remove stale rows, those of old drivers, and unused binaries",
          examples,
          {},
          {
              {"stale", Kind::flag, "", "runs of a template that has changed since"},
              {"old-driver", Kind::flag, "",
               "runs under a driver older than one that has a winner for the same problem"},
              {"replayed", Kind::flag, "", "replayed runs; only when asked"},
              {"binaries", Kind::flag, "", "machine code that was not used for long"},
              {"unused-days", Kind::value, "N", "how long (default 30)"},
              {"dry-run", Kind::flag, "", "only say what would go"},
          },
          run};
}

}  // namespace warptune::tuner
