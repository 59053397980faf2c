// `warptune failures`: which configs failed, how, and one example of each kind.
#include <algorithm>
#include <map>
#include <tuple>

#include <warptune/tuner/outcome.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/report/config_text.hpp"
#include "tuner/report/failure_kinds.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune failures\n"
    "  warptune failures dot --types T=half --status wrong_result\n"
    "  warptune failures dot --each --json\n";

Table kinds_table(const std::vector<FailureKind>& kinds) {
  Table table{"failures",
              {{"kernel", "kernel"},
               {"types", "types"},
               {"dims", "dims"},
               {"status", "status"},
               {"configs", "configs", Show::number},
               {"device", "device"},
               {"reason", "reason", Show::text, Place::below},
               {"example", "example", Show::text, Place::below}},
              {}};
  for (const FailureKind& each : kinds)
    table.rows.push_back({each.problem.kernel, types_text(each.problem.types), named(all_dims(each.problem)),
                          each.status, each.count, each.problem.device.model, each.reason, each.example});
  return table;
}

Table each_table(const std::vector<std::pair<db::ProblemKey, db::StoredOutcome>>& failures) {
  Table table{"failures",
              {{"kernel", "kernel"},
               {"types", "types"},
               {"dims", "dims"},
               {"status", "status"},
               {"max_error", "max error", Show::number},
               {"registers", "regs", Show::number},
               {"device", "device", Show::text, Place::machines},
               {"run", "run", Show::number},
               {"at_unix_ms", "at", Show::number, Place::machines},
               {"reason", "reason", Show::text, Place::below},
               {"config", "config", Show::text, Place::below}},
              {}};
  for (const auto& [problem, stored] : failures)
    table.rows.push_back({problem.kernel, types_text(problem.types), named(all_dims(problem)),
                          stored.outcome.status, optional_cell(stored.outcome.max_error),
                          std::int64_t{stored.outcome.registers}, problem.device.model, stored.run,
                          stored.outcome.at_unix_ms, stored.outcome.reason, stored.outcome.config});
  return table;
}

int run(const Arguments& arguments, const Context& context) {
  const std::string kernel = arguments.value("KERNEL").value_or("");
  const db::Store store = open_for_reading(context);
  const spec::TemplatePtr spec = kernel.empty() ? nullptr : template_for(kernel, store);
  const ProblemFilter filter = stated_filter(spec == nullptr ? kernel : spec->name, spec.get(), arguments);
  const std::string status = arguments.choice("status", failure_statuses(), "any");

  std::vector<std::pair<db::ProblemKey, db::StoredOutcome>> failures;
  std::int64_t tried = 0;
  for (const db::ProblemKey& problem : store.problems(filter.kernel)) {
    if (!filter.matches(problem)) continue;
    for (db::StoredOutcome& stored : store.outcomes(problem)) {
      ++tried;
      if (!is_failure(stored.outcome.status) || (status != "any" && stored.outcome.status != status))
        continue;
      failures.emplace_back(problem, std::move(stored));
    }
  }
  FailureCounter counter;
  for (const auto& [problem, stored] : failures) counter.add(problem, stored.outcome);
  Document document;
  document.fields = {{"configs_tried", tried},
                     {"configs_failed", static_cast<std::int64_t>(failures.size())}};
  document.tables.push_back(arguments.has("each") ? each_table(failures) : kinds_table(counter.kinds()));
  context.print(document);
  report_faults(store, context);
  return 0;
}

}  // namespace

Command failures_command() {
  using Kind = OptionSpec::Kind;
  return {"failures",
          "which configs failed, how often, why, with an example of each",
          examples,
          {{"KERNEL", "one kernel only", false}},
          problem_options({
              {"policy", Kind::value, "cold|hot", "one policy only"},
              {"status", Kind::value, "STATUS", "one kind of failure only, such as wrong_result"},
              {"each", Kind::flag, "", "a row for every config, not for every kind"},
          }),
          run};
}

}  // namespace warptune::tuner
