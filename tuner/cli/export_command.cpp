// `warptune export`: the database as one document for other programs.
#include <algorithm>

#include "tuner/cli/command.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/cli/winner_table.hpp"
#include "tuner/report/config_text.hpp"
#include "tuner/report/formats.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune export --format csv > winners.csv\n"
    "  warptune export dot --format json --what outcomes\n";

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

int run(const Arguments& arguments, const Context& context) {
  const FormatInfo& format =
      find_format(context.json ? "json" : arguments.choice("format", {"json", "csv"}, "json"));
  const std::string what = arguments.choice("what", {"winners", "outcomes"}, "winners");
  const std::string kernel = arguments.value("KERNEL").value_or("");
  const db::Store store = open_for_reading(context);
  const spec::TemplatePtr spec = kernel.empty() ? nullptr : template_for(kernel, store);
  const ProblemFilter filter = stated_filter(spec == nullptr ? kernel : spec->name, spec.get(), arguments);

  Document document;
  if (what == "winners") {
    std::vector<db::StoredWinner> winners = store.winners(std::nullopt, filter.kernel);
    std::erase_if(winners, [&](const db::StoredWinner& each) { return !filter.matches(each.problem); });
    // An export is read elsewhere: only what holds anywhere is said, not how it compares with this machine.
    document.tables.push_back(winner_table(std::move(winners), Freshness({}), unix_now_s()));
  } else {
    document.tables.push_back(outcome_table(store, filter));
  }
  format.write(document, context.out, {});
  report_faults(store, context);
  return 0;
}

}  // namespace

Command export_command() {
  using Kind = OptionSpec::Kind;
  return {"export",
          "winners or outcomes as JSON or CSV",
          examples,
          {{"KERNEL", "one kernel only", false}},
          problem_options({
              {"policy", Kind::value, "cold|hot", "one policy only"},
              {"format", Kind::value, "json|csv", "form of the output (default json)"},
              {"what", Kind::value, "winners|outcomes", "which rows (default winners)"},
          }),
          run};
}

}  // namespace warptune::tuner
