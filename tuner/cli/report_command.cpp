// `warptune report`: the database as one page to look at.
#include <warptune/base/file.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/device_choice.hpp"
#include "tuner/cli/freshness.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/cli/winner_table.hpp"
#include "tuner/loop/convergence.hpp"
#include "tuner/report/html/report_data.hpp"
#include "tuner/report/html/report_page.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune report -o report.html\n"
    "  warptune report dot --types T=half --db h200.db -o dot.html\n";

// Each takes some tenths of a second.
constexpr std::int64_t most_outlooks = 50;

int run(const Arguments& arguments, const Context& context) {
  const std::string kernel = arguments.value("KERNEL").value_or("");
  const std::filesystem::path output = arguments.value("output").value_or("report.html");
  const db::Store store = open_for_reading(context);
  const spec::TemplatePtr spec = kernel.empty() ? nullptr : template_for(kernel, store);
  const ProblemFilter filter = stated_filter(spec == nullptr ? kernel : spec->name, spec.get(), arguments);
  Freshness freshness(present_toolchain(), &store);
  freshness.know(spec);

  ReportScope scope;
  scope.wanted = [&](const db::ProblemKey& problem) { return filter.matches(problem); };
  scope.state = [&](const db::ProblemKey& problem, const db::Toolchain& then) {
    return freshness.of(problem, then);
  };
  std::int64_t asked = 0;
  scope.outlook = [&](const db::ProblemKey& problem,
                      std::span<const db::OutcomeRecord> outcomes) -> std::optional<Outlook> {
    if (freshness.template_of(problem.kernel) == nullptr || freshness.template_changed(problem) ||
        asked++ >= most_outlooks)
      return std::nullopt;
    return outlook(freshness.template_of(problem.kernel), problem, outcomes);
  };
  scope.now_unix_s = unix_now_s();
  const ReportData data = report_data(store, scope);
  const std::string page = report_page(data.json);
  publish_file(output, page);

  Document document;
  document.fields = {{"report", output.string()},
                     {"bytes", static_cast<std::int64_t>(page.size())},
                     {"kernels", data.kernels},
                     {"problems", data.problems},
                     {"configs", data.configs}};
  context.print(document);
  report_faults(store, context);
  return 0;
}

}  // namespace

Command report_command() {
  using Kind = OptionSpec::Kind;
  return {"report",
          "one page with charts that opens offline in any browser",
          examples,
          {{"KERNEL", "one kernel only", false}},
          problem_options({
              {"policy", Kind::value, "cold|hot", "one policy only"},
              {"output", Kind::value, "FILE", "the page (default report.html)", 'o'},
          }),
          run};
}

}  // namespace warptune::tuner
