// `warptune diff`: what changed between two tunings.
#include <algorithm>
#include <charconv>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/report/comparison.hpp"
#include "tuner/report/config_text.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune diff before.db after.db\n"
    "  warptune diff tuning.db:3 tuning.db:7      (runs, see `warptune list runs`)\n"
    "  warptune diff a100.db h200.db --kernel dot --types T=half --top 0\n";

constexpr std::int64_t top_by_default = 10;

// FILE or FILE:RUN.
struct Side {
  std::filesystem::path file;
  std::optional<std::int64_t> run;
};

Side parse_side(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || std::filesystem::exists(text)) return {text, std::nullopt};
  std::int64_t run = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, run);
  if (error != std::errc() || stop != end) return {text, std::nullopt};
  return {text.substr(0, colon), run};
}

Tuning& tuning_of(std::vector<Tuning>& tunings, const db::ProblemKey& problem) {
  for (Tuning& each : tunings)
    if (each.problem == problem) return each;
  tunings.push_back({problem, {}, {}, {}});
  return tunings.back();
}

std::vector<Tuning> tunings_of_run(const db::Store& store, const Side& side, const ProblemFilter& filter) {
  const std::optional<db::StoredRun> run = store.run(*side.run);
  if (!run)
    throw Error(ErrorKind::not_found,
                "no run " + std::to_string(*side.run) + " in '" + side.file.string() + "'",
                "`warptune list runs --db " + shell_word(side.file.string()) + "` lists them");
  if (!filter.matches(run->problem)) return {};
  Tuning tuning{run->problem, run->info.toolchain, {}, run->winners};
  for (const db::OutcomeRecord& outcome : run->outcomes) tuning.outcomes[outcome.config] = outcome;
  return {std::move(tuning)};
}

std::vector<Tuning> tunings_of_file(const db::Store& store, const ProblemFilter& filter) {
  std::vector<Tuning> tunings;
  for (const db::ProblemKey& problem : store.problems(filter.kernel)) {
    if (!filter.matches(problem)) continue;
    Tuning tuning{problem, {}, {}, {}};
    for (const db::StoredOutcome& stored : store.outcomes(problem)) {
      tuning.toolchain = stored.toolchain;
      tuning.outcomes.emplace(stored.outcome.config, stored.outcome);
    }
    tunings.push_back(std::move(tuning));
  }
  store.visit_winners(std::nullopt, filter.kernel, [&](const db::StoredWinner& stored) {
    if (filter.matches(stored.problem)) tuning_of(tunings, stored.problem).winners.push_back(stored.winner);
  });
  return tunings;
}

std::vector<Tuning> load(const Side& side, const ProblemFilter& filter, const Context& context) {
  Context named = context;
  named.database = side.file;
  const db::Store store = open_for_reading(named);
  std::vector<Tuning> tunings =
      side.run ? tunings_of_run(store, side, filter) : tunings_of_file(store, filter);
  report_faults(store, context);
  return tunings;
}

std::string verdict(const WinnerChange& each) {
  if (!each.a) return "only in B";
  if (!each.b) return "only in A";
  if (!each.change.low) return each.same_config ? "same config" : "other config";
  if (!each.change.significant) return each.same_config ? "unchanged" : "other config, as fast";
  return each.change.relative < 0 ? "faster" : "slower";
}

Cell optional_time(const std::optional<db::WinnerRecord>& winner) {
  return winner ? Cell(winner->time_ns) : Cell();
}

Table winners_table(const std::vector<Comparison>& comparisons) {
  Table table{"winners",
              {{"kernel", "kernel"},
               {"types", "types"},
               {"dims", "dims"},
               {"alignment_bytes", "align", Show::number},
               {"a_ns", "A", Show::time_ns},
               {"b_ns", "B", Show::time_ns},
               {"change", "change", Show::change},
               {"low", "low", Show::change},
               {"high", "high", Show::change},
               {"verdict", "verdict"},
               {"significant", "significant", Show::text, Place::machines},
               {"same_config", "same config", Show::text, Place::machines},
               {"config_a", "A", Show::text, Place::machines},
               {"config_b", "B", Show::text, Place::machines},
               {"old_over_new", "old over new", Show::factor, Place::machines},
               {"remark", "remark", Show::text, Place::below}},
              {}};
  for (const Comparison& comparison : comparisons) {
    for (const WinnerChange& each : comparison.winners) {
      const bool both = each.a && each.b;
      Cell remark;
      if (both && !each.same_config) {
        std::string text = config_text(each.a->config) + " -> " + config_text(each.b->config);
        if (each.old_over_new)
          text +=
              " (the old one in B: " + cell_text(*each.old_over_new, Show::factor) + " the new one's time)";
        remark = text;
      }
      table.rows.push_back(
          {comparison.a.kernel, types_text(comparison.a.types), named(all_dims(comparison.a)),
           std::int64_t{each.alignment_bytes}, optional_time(each.a), optional_time(each.b),
           both ? Cell(each.change.relative) : Cell(), optional_cell(each.change.low),
           optional_cell(each.change.high), verdict(each), each.change.significant, each.same_config,
           each.a ? Cell(each.a->config) : Cell(), each.b ? Cell(each.b->config) : Cell(),
           optional_cell(each.old_over_new), remark});
    }
  }
  return table;
}

Table problems_table(const std::vector<Comparison>& comparisons) {
  Table table{"problems",
              {{"kernel", "kernel"},
               {"types", "types"},
               {"dims", "dims"},
               {"common", "common configs", Show::number},
               {"median_change", "median", Show::change},
               {"faster", "faster", Show::number},
               {"slower", "slower", Show::number},
               {"status_changed", "ok/failed", Show::number},
               {"only_a", "only A", Show::number},
               {"only_b", "only B", Show::number}},
              {}};
  for (const Comparison& each : comparisons)
    table.rows.push_back({each.a.kernel, types_text(each.a.types), named(all_dims(each.a)), each.common,
                          optional_cell(each.median_relative), each.faster, each.slower, each.status_changed,
                          each.only_a, each.only_b});
  return table;
}

Table configs_table(const std::vector<Comparison>& comparisons, std::int64_t top) {
  Table table{"configs",
              {{"types", "types"},
               {"dims", "dims"},
               {"status_a", "in A"},
               {"status_b", "in B"},
               {"a_ns", "A", Show::time_ns},
               {"b_ns", "B", Show::time_ns},
               {"change", "change", Show::change},
               {"low", "low", Show::change},
               {"high", "high", Show::change},
               {"config", "config", Show::text, Place::below}},
              {}};
  for (const Comparison& comparison : comparisons) {
    std::int64_t shown = 0;
    for (const ConfigChange& each : comparison.changes) {
      if (top > 0 && ++shown > top) break;
      const bool timed = each.status_a == each.status_b;
      table.rows.push_back({types_text(comparison.a.types), named(all_dims(comparison.a)), each.status_a,
                            each.status_b, optional_cell(each.a_ns), optional_cell(each.b_ns),
                            timed ? Cell(each.change.relative) : Cell(), optional_cell(each.change.low),
                            optional_cell(each.change.high), each.config});
    }
  }
  return table;
}

// What stood beside the results and differs.
Table beside_table(const std::vector<Comparison>& comparisons) {
  Table table{"beside", {{"field", "differs"}, {"a", "A"}, {"b", "B"}}, {}};
  const auto add = [&](const char* field, const std::string& a, const std::string& b) {
    if (a == b) return;
    const std::vector<Cell> row{std::string(field), a, b};
    if (std::find(table.rows.begin(), table.rows.end(), row) == table.rows.end()) table.rows.push_back(row);
  };
  for (const Comparison& each : comparisons) {
    add("device", each.a.device.model, each.b.device.model);
    add("template", each.a.kernel + " " + each.a.template_hash.substr(0, 12),
        each.b.kernel + " " + each.b.template_hash.substr(0, 12));
    add("driver", each.toolchain_a.driver_name, each.toolchain_b.driver_name);
    add("NVRTC", each.toolchain_a.nvrtc_version, each.toolchain_b.nvrtc_version);
    add("toolkit headers", each.toolchain_a.headers_hash.substr(0, 12),
        each.toolchain_b.headers_hash.substr(0, 12));
    add("warptune", each.toolchain_a.warptune_version, each.toolchain_b.warptune_version);
  }
  return table;
}

Table unmatched_table(const Pairing& pairing) {
  Table table{
      "unmatched",
      {{"side", "only in"}, {"kernel", "kernel"}, {"types", "types"}, {"dims", "dims"}, {"device", "device"}},
      {}};
  for (const auto& [side, list] : {std::pair("A", &pairing.only_a), std::pair("B", &pairing.only_b)})
    for (const Tuning* each : *list)
      table.rows.push_back({std::string(side), each->problem.kernel, types_text(each->problem.types),
                            named(all_dims(each->problem)), each->problem.device.model});
  return table;
}

int run(const Arguments& arguments, const Context& context) {
  const std::string kernel = arguments.value("kernel").value_or("");
  const ProblemFilter filter = stated_filter(kernel, nullptr, arguments);
  const std::int64_t top = arguments.count("top").value_or(top_by_default);
  const std::vector<Tuning> a = load(parse_side(*arguments.value("A")), filter, context);
  const std::vector<Tuning> b = load(parse_side(*arguments.value("B")), filter, context);
  const Pairing pairing = pair_up(a, b);
  std::vector<Comparison> comparisons;
  for (const auto& [left, right] : pairing.pairs) comparisons.push_back(compare(*left, *right));

  Document document;
  document.fields = {{"a", *arguments.value("A")}, {"b", *arguments.value("B")}};
  document.tables = {winners_table(comparisons), problems_table(comparisons), configs_table(comparisons, top),
                     beside_table(comparisons), unmatched_table(pairing)};
  if (comparisons.empty()) {
    document.notes.emplace_back("The two have no problem in common.");
  } else {
    document.notes.emplace_back(
        "A change is B over A; low and high bound it at 95 %. It counts as faster or slower when the bounds "
        "exclude 0 "
        "and it is beyond 1 %, by which runs differ with nothing changed.");
  }
  if (pairing.across_devices)
    document.notes.emplace_back("No device is on both sides: problems were matched across devices.");
  context.print(document);
  return 0;
}

}  // namespace

Command diff_command() {
  using Kind = OptionSpec::Kind;
  return {"diff",
          "what changed between two tunings, and whether it is more than noise",
          examples,
          {{"A", "a database, or one run of it: FILE or FILE:RUN"}, {"B", "the other one"}},
          problem_options({
              {"kernel", Kind::value, "NAME", "one kernel only"},
              {"policy", Kind::value, "cold|hot", "one policy only"},
              {"top", Kind::value, "N", "list at most N changed configs per problem (default 10, 0: all)"},
          }),
          run};
}

}  // namespace warptune::tuner
