// `warptune explain`: what the runtime would run for a problem, and why not something else.
#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/db/bundle.hpp>
#include <warptune/runtime/cover_selector.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/runtime/selection.hpp>
#include <warptune/spec/space.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/device_choice.hpp"
#include "tuner/cli/freshness.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/loop/exclusions.hpp"
#include "tuner/report/config_text.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune explain dot --types T=half --dims n=2^24\n"
    "  warptune explain dot --types T=half --dims n=1000003 --align 2\n"
    "  warptune explain dot --types T=float --dims n=2^20 --config NUM_THREADS=256 PACK=8\n"
    "  warptune explain dot --types T=half --dims n=2^24 --device recorded:h200.db --db h200.db\n";

std::int64_t asked_alignment(const Arguments& arguments) {
  const std::int64_t bytes = arguments.count("align").value_or(16);
  if (bytes < 1 || bytes > 256 || (bytes & (bytes - 1)) != 0)
    throw Error(ErrorKind::usage,
                "--align takes a power of two from 1 to 256, not '" + *arguments.value("align") + "'");
  return bytes;
}

// The default with the given tunables replaced; nothing when --config is absent.
std::optional<spec::Config> asked_config(const spec::TemplateSpec& spec, const Arguments& arguments) {
  if (!arguments.has("config")) return std::nullopt;
  spec::Config config = spec.default_config;
  for (const std::string& text : arguments.values("config")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw Error(ErrorKind::usage, "--config takes NAME=VALUE, not '" + text + "'");
    const std::size_t index = spec.tunable_index(text.substr(0, equals));
    const std::string value = text.substr(equals + 1);
    std::vector<std::string> known;
    bool found = false;
    for (const spec::TunableValue& each : spec.tunables[index].values) {
      known.push_back(each.value.text());
      if (known.back() != value) continue;
      config.values[index] = each.value;
      found = true;
    }
    if (!found)
      throw Error(ErrorKind::bad_input,
                  "tunable " + spec.tunables[index].name + " has no value '" + value + "'",
                  "its values: " + join(known));
  }
  return config;
}

Table exclusions(const spec::Instance& instance, Document& document) {
  Table table{"exclusions",
              {{"configs", "configs", Show::number}, {"constraint", "excluded by"}, {"why", "because"}},
              {}};
  const spec::Space space(instance);
  document.fields.emplace_back("configs_before_constraints", space.cartesian_size());
  const auto counts = count_exclusions(instance);
  if (!counts) {
    document.notes.emplace_back("The space is too large to count what each constraint excludes.");
    return table;
  }
  std::int64_t valid = space.cartesian_size();
  for (const ExclusionCount& each : *counts) {
    table.rows.push_back({each.configs, each.constraint, each.why});
    valid -= each.configs;
  }
  document.fields.emplace_back("valid_configs", valid);
  return table;
}

void explain_config(const spec::Instance& instance, const spec::Config& config, Document& document) {
  document.fields.emplace_back("asked_config", spec::to_text(instance.spec(), config));
  const auto exclusion = instance.excluded(config);
  document.fields.emplace_back("asked_config_valid", !exclusion.has_value());
  if (!exclusion) {
    document.fields.emplace_back("asked_config_alignment_bytes", instance.alignment_class(config));
    return;
  }
  document.fields.emplace_back("excluded_by", exclusion->constraint);
  document.fields.emplace_back("because", exclusion->why);
}

void explain_selection(const runtime::Ranking& ranking, Document& document) {
  const runtime::Selection& picked = ranking.candidates.front().selection;
  document.fields.emplace_back("match", std::string(runtime::to_string(picked.match)));
  document.fields.emplace_back("config", picked.config);
  document.fields.emplace_back("reason", picked.reason);
  if (!picked.tuned_dims.empty()) document.fields.emplace_back("tuned_dims", named(picked.tuned_dims));
  document.fields.emplace_back("needs_alignment_bytes", std::int64_t{picked.alignment_bytes});
  document.fields.emplace_back("expected_time_ns", optional_cell(picked.expected_ns));
  document.fields.emplace_back("expected_loss", optional_cell(picked.expected_loss));
  document.fields.emplace_back("other_toolchain", picked.other_toolchain);
  document.fields.emplace_back("staleness", picked.staleness.empty() ? Cell() : Cell(picked.staleness));

  Table alternatives{"alternatives",
                     {{"match", "else"},
                      {"tuned_dims", "tuned at"},
                      {"log2_distance", "distance", Show::number},
                      {"alignment_bytes", "align", Show::number},
                      {"expected_time_ns", "time", Show::time_ns},
                      {"expected_loss", "loss", Show::share},
                      {"config", "config", Show::text, Place::below},
                      {"reason", "reason", Show::text, Place::below}},
                     {}};
  for (std::size_t i = 1; i < ranking.candidates.size(); ++i) {
    const runtime::Selection& each = ranking.candidates[i].selection;
    alternatives.rows.push_back({std::string(runtime::to_string(each.match)),
                                 each.tuned_dims.empty() ? Cell() : Cell(named(each.tuned_dims)),
                                 each.log2_distance, std::int64_t{each.alignment_bytes},
                                 optional_cell(each.expected_ns), optional_cell(each.expected_loss),
                                 each.config, each.reason});
  }
  Table passed_over{
      "passed_over", {{"record", "record not used"}, {"reason", "because", Show::text, Place::below}}, {}};
  for (const runtime::PassedOver& each : ranking.passed_over)
    passed_over.rows.push_back({each.record, each.reason});
  document.tables.push_back(std::move(alternatives));
  document.tables.push_back(std::move(passed_over));
}

// What differs between the stored winners for these types and this machine, field by field.
Table differences_table(const spec::Instance& instance, const std::vector<db::StoredWinner>& rows,
                        const Freshness& freshness) {
  Table table{
      "differences", {{"record", "record"}, {"field", "differs in"}, {"then", "then"}, {"now", "now"}}, {}};
  const db::ProblemKey mine = runtime::problem_key(instance, "cold");
  for (const db::StoredWinner& each : rows) {
    if (each.problem.types != mine.types) continue;
    const std::string record =
        config_text(all_dims(each.problem)) + " align " + std::to_string(each.winner.alignment_bytes);
    const auto add = [&](const std::string& field, const std::string& then, const std::string& now) {
      if (then != now) table.rows.push_back({record, field, then.substr(0, 32), now.substr(0, 32)});
    };
    const db::DeviceKey &then = each.problem.device, &now = mine.device;
    add("GPU model", then.model, now.model);
    add("compute capability", std::to_string(then.compute_capability),
        std::to_string(now.compute_capability));
    add("usable SMs", std::to_string(then.sm_count), std::to_string(now.sm_count));
    add("L2 bytes", std::to_string(then.l2_bytes), std::to_string(now.l2_bytes));
    add("memory GiB", std::to_string(then.memory_gib), std::to_string(now.memory_gib));
    add("numerics class", each.problem.numerics, mine.numerics);
    add("attributes", config_text(named(each.problem.attributes)), config_text(named(mine.attributes)));
    for (const Difference& difference : freshness.differences(each.problem, each.toolchain))
      add(difference.field + (difference.what.empty() ? "" : ": " + difference.what), difference.then,
          difference.now);
  }
  return table;
}

int run(const Arguments& arguments, const Context& context) {
  const spec::TemplatePtr spec = spec::find_template(*arguments.value("KERNEL"));
  const std::vector<spec::Problem> problems = stated_problems(*spec, arguments, true);
  if (problems.size() != 1)
    throw Error(ErrorKind::usage, "explain takes one problem, not " + std::to_string(problems.size()),
                "state one value each");
  const spec::Problem& problem = problems.front();
  const std::int64_t alignment_bytes = asked_alignment(arguments);
  const std::optional<spec::Config> config = asked_config(*spec, arguments);

  std::optional<db::Store> store;
  std::vector<db::StoredWinner> rows;
  if (std::filesystem::exists(context.database)) {
    store = open_for_reading(context);
    rows = store->winners(std::nullopt, spec->name);
  }
  const KnownDevice device = known_device(context, store ? &*store : nullptr);
  const spec::Instance instance(spec, problem, device.traits);

  Document document;
  document.fields = {{"problem", spec->name + " " + problem.text()},
                     {"device", device.traits.model + " (" + device.source + ")"},
                     {"operand_alignment_bytes", alignment_bytes}};
  if (!store)
    document.notes.push_back("There is no database '" + context.database.string() + "': nothing is tuned.");
  const runtime::Selector selector(instance, {}, rows, [&](std::int64_t run) {
    return store ? store->neighbour_times(run) : std::vector<db::NeighbourTime>();
  });
  runtime::Ranking ranking = selector.rank(problem.dims, alignment_bytes, device.present);
  if (store && store->is_bundle()) {
    const db::BundleReader bundle(open_for_reading(context));
    const auto rows_of_cover = bundle.cover(spec->name, runtime::device_key(device.traits));
    runtime::CoverSelector(instance, runtime::SelectionRules().policies, rows_of_cover)
        .add_to(ranking, instance, alignment_bytes);
  }
  explain_selection(ranking, document);
  Freshness freshness(device.present, store ? &*store : nullptr);
  freshness.know(spec);
  document.tables.push_back(differences_table(instance, rows, freshness));
  if (config) explain_config(instance, *config, document);
  document.tables.push_back(exclusions(instance, document));
  for (const std::string& fault : selector.faults()) document.notes.push_back("Row not usable: " + fault);
  context.print(document);
  if (store) report_faults(*store, context);
  return 0;
}

}  // namespace

Command explain_command() {
  using Kind = OptionSpec::Kind;
  return {"explain",
          "what would run for a problem, and why",
          examples,
          {{"KERNEL", "name of a template, or path of its manifest (.toml)"}},
          problem_options({
              {"align", Kind::value, "BYTES", "what all operand pointers are aligned to (default 16)"},
              {"config", Kind::assignments, "NAME=VALUE",
               "ask about this config: the default with these changed"},
          }),
          run};
}

}  // namespace warptune::tuner
