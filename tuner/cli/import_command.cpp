// `warptune import`: a document that `export` wrote, or T4 results of another tuner, into the database.
#include <algorithm>

#include <warptune/base/error.hpp>
#include <warptune/base/file.hpp>
#include <warptune/base/hash.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/device_choice.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/report/run_json.hpp"
#include "tuner/report/t4.hpp"
#include "tuner/report/t4_run.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune import all.json --db copy.db\n"
    "  warptune import kernel_tuner.json dot --types T=half --dims n=2^24 --device recorded:h200.db\n";

constexpr std::size_t largest_document = std::size_t{4} << 30;

// Everything is read before anything is stored: a document that is wrong somewhere changes nothing.
struct Content {
  std::vector<db::StoredRun> runs;
  std::vector<db::ReferenceTime> reference_times;
  std::vector<db::Calibration> calibrations;
};

Content read_exchange(const JsonReader& document) {
  Content content;
  const auto runs = document.find("runs");
  if (!runs) document.fail("holds no runs: it was exported with --what");
  for (const JsonReader& each : runs->items()) content.runs.push_back(read_run(each));
  if (const auto times = document.find("reference_times"))
    for (const JsonReader& each : times->items())
      content.reference_times.push_back(read_reference_time(each));
  if (const auto calibrations = document.find("calibrations"))
    for (const JsonReader& each : calibrations->items())
      content.calibrations.push_back(read_calibration(each));
  return content;
}

// The problem that the options state, for documents that do not say it.
std::optional<db::ProblemKey> stated_problem(const Arguments& arguments, const Context& context) {
  const auto kernel = arguments.value("KERNEL");
  if (!kernel) return std::nullopt;
  const spec::TemplatePtr spec = spec::find_template(*kernel);
  const std::vector<spec::Problem> problems = stated_problems(*spec, arguments, true);
  if (problems.size() != 1)
    throw Error(ErrorKind::usage, "a T4 document is of one problem, not " + std::to_string(problems.size()),
                "state one value each");
  std::optional<db::Store> store;
  if (std::filesystem::exists(context.database))
    store = db::Store::open(context.database, db::OpenMode::read_only);
  const KnownDevice device = known_device(context, store ? &*store : nullptr);
  return runtime::problem_key(spec::Instance(spec, problems.front(), device.traits),
                              arguments.choice("policy", {"cold", "hot"}, "cold"));
}

bool is_exchange(const JsonReader& document, const std::string& asked) {
  const auto format = document.find("format");
  const bool ours = format && format->is_text() && format->text() == exchange_format;
  const bool t4 = document.find("schema_version") && document.find("results");
  if (asked != "any") return asked == "json";
  if (ours || t4) return ours;
  document.fail("is neither a document of `warptune export` nor T4 results");
}

Content read_content(const std::string& file, const Arguments& arguments, const Context& context) {
  const std::string asked = arguments.choice("format", {"any", "json", "t4"}, "any");
  const std::string text = read_file(file, largest_document);
  const JsonValue json = parse_json(text, file);
  const JsonReader document(json, "");
  if (is_exchange(document, asked)) return read_exchange(document);
  const T4Source source{std::filesystem::path(file).filename().string(), hash_hex(text),
                        context.command_line};
  Content content;
  content.runs = t4_runs(read_t4(document), stated_problem(arguments, context), source);
  return content;
}

int run(const Arguments& arguments, const Context& context) {
  const std::string file = *arguments.value("FILE");
  const Content content = read_content(file, arguments, context);
  db::Store store = db::Store::open(context.database, db::OpenMode::create);
  const std::int64_t before = store.outcome_total();
  db::MergeReport report;
  for (const db::StoredRun& each : content.runs) report.count(store.add_run(each));
  for (const db::ReferenceTime& time : content.reference_times) store.add_reference_time(time);
  for (const db::Calibration& each : content.calibrations)
    report.calibrations_added += store.add_calibration(each) ? 1 : 0;
  Document document;
  document.fields = {{"file", file},
                     {"database", context.database.string()},
                     {"runs_added", report.runs_added},
                     {"runs_completed", report.runs_completed},
                     {"runs_known", report.runs_known},
                     {"outcomes_added", store.outcome_total() - before},
                     {"reference_times", static_cast<std::int64_t>(content.reference_times.size())},
                     {"calibrations_added", report.calibrations_added}};
  const bool foreign = std::any_of(content.runs.begin(), content.runs.end(), [](const db::StoredRun& each) {
    return each.info.origin == db::Origin::imported;
  });
  if (foreign)
    document.notes.emplace_back(
        "Results of another tuner were verified by nobody here: they are shown, compared and replayed, and "
        "the runtime "
        "does not use them.");
  context.print(document);
  return 0;
}

}  // namespace

Command import_command() {
  using Kind = OptionSpec::Kind;
  return {"import",
          "add a document of `export`, or T4 results of another tuner",
          examples,
          {{"FILE", "the document"}, {"KERNEL", "for T4: whose results they are", false}},
          problem_options({
              {"policy", Kind::value, "cold|hot", "for T4: how they were timed (default cold)"},
              {"format", Kind::value, "json|t4", "what the document is; by default it is looked at"},
          }),
          run};
}

}  // namespace warptune::tuner
