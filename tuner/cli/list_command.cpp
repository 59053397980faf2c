// `warptune list`: what can be named on a command line.
#include <algorithm>
#include <functional>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/spec/element_type.hpp>
#include <warptune/spec/space.hpp>
#include <warptune/tuner/strategy.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/cli/winner_table.hpp"
#include "tuner/evaluate/recorded_evaluator.hpp"
#include "tuner/report/config_text.hpp"
#include "tuner/report/formats.hpp"
#include "tuner/report/units.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune list\n"
    "  warptune list tunables dot\n"
    "  warptune list strategies\n"
    "  warptune list problems --db h200.db\n"
    "  warptune list runs dot --db h200.db\n";

std::string alias(const std::string& type) {
  const auto element = spec::find_element_type(type);
  return element ? std::string(element->alias) : type;
}

std::vector<std::string> asked_kernels(const Arguments& arguments) {
  const std::optional<std::string> kernel = arguments.value("KERNEL");
  return kernel ? std::vector<std::string>{*kernel} : spec::template_names();
}

// The configs before any constraint: the constraints depend on problem and device.
std::int64_t cartesian_size(const spec::TemplateSpec& spec) {
  std::int64_t size = 1;
  for (const spec::Tunable& tunable : spec.tunables)
    if (__builtin_mul_overflow(size, static_cast<std::int64_t>(tunable.values.size()), &size))
      return INT64_MAX;
  return size;
}

Table kernels(const Arguments& arguments, const Context&) {
  Table table{"kernels",
              {{"kernel", "kernel"},
               {"types", "types"},
               {"dims", "dims"},
               {"attributes", "attributes", Show::text, Place::machines},
               {"tunables", "tunables", Show::number},
               {"configs_before_constraints", "configs before constraints", Show::number},
               {"manifest", "manifest", Show::text, Place::machines},
               {"summary", "summary", Show::text, Place::below}},
              {}};
  for (const std::string& name : asked_kernels(arguments)) {
    const spec::TemplatePtr spec = spec::find_template(name);
    std::vector<std::string> types, dims, attributes;
    for (const spec::TypeParameter& parameter : spec->type_parameters) {
      std::vector<std::string> allowed;
      for (const std::string& type : parameter.allowed) allowed.push_back(alias(type));
      types.push_back(parameter.name + "=" + join(allowed, ","));
    }
    for (const spec::DimSpec& dim : spec->dims) dims.push_back(dim.name + (dim.key ? " (key)" : ""));
    for (const spec::AttributeSpec& attribute : spec->attributes)
      attributes.push_back(attribute.name + "=" + join(attribute.allowed, ","));
    table.rows.push_back({spec->name, join(types, " "), join(dims), join(attributes, " "),
                          static_cast<std::int64_t>(spec->tunables.size()), cartesian_size(*spec),
                          spec->manifest_path.string(), spec->summary});
  }
  return table;
}

Table tunables(const Arguments& arguments, const Context&) {
  Table table{"tunables",
              {{"kernel", "kernel"}, {"tunable", "tunable"}, {"default", "default"}, {"values", "values"}},
              {}};
  for (const std::string& name : asked_kernels(arguments)) {
    const spec::TemplatePtr spec = spec::find_template(name);
    for (std::size_t i = 0; i < spec->tunables.size(); ++i) {
      std::vector<std::string> values;
      for (const spec::TunableValue& value : spec->tunables[i].values) {
        const std::string weakness = value.numerics.key();
        values.push_back(value.value.text() + (weakness == "exact" ? "" : " (" + weakness + ")"));
      }
      table.rows.push_back(
          {spec->name, spec->tunables[i].name, spec->default_config.values[i].text(), join(values)});
    }
  }
  return table;
}

Table strategy_table(const Arguments&, const Context&) {
  Table table{"strategies", {{"strategy", "strategy"}, {"summary", "summary"}}, {}};
  for (const StrategyInfo& info : strategies())
    table.rows.push_back({std::string(info.name), std::string(info.summary)});
  return table;
}

Table format_table(const Arguments&, const Context&) {
  Table table{"formats", {{"format", "format"}, {"summary", "summary"}}, {}};
  for (const FormatInfo& info : formats())
    table.rows.push_back({std::string(info.name), std::string(info.summary)});
  return table;
}

Table devices(const Arguments&, const Context& context) {
  Table table{"devices",
              {{"device", "device"},
               {"compute_capability", "capability", Show::number},
               {"sm_count", "SMs", Show::number},
               {"l2_bytes", "L2", Show::bytes},
               {"memory_gib", "memory GiB", Show::number}},
              {}};
  for (const db::DeviceKey& key : recorded_devices(open_for_reading(context)))
    table.rows.push_back({key.model, std::int64_t{key.compute_capability}, std::int64_t{key.sm_count},
                          key.l2_bytes, std::int64_t{key.memory_gib}});
  return table;
}

Table problems(const Arguments& arguments, const Context& context) {
  Table table{"problems",
              {{"kernel", "kernel"},
               {"types", "types"},
               {"dims", "dims"},
               {"numerics", "class"},
               {"policy", "policy"},
               {"device", "device"},
               {"outcomes", "outcomes", Show::number}},
              {}};
  const db::Store store = open_for_reading(context);
  for (const db::ProblemKey& key : store.problems(arguments.value("KERNEL").value_or(""))) {
    std::int64_t outcomes = 0;
    for (const auto& [status, count] : store.outcome_counts(key)) outcomes += count;
    table.rows.push_back({key.kernel, types_text(key.types), named(all_dims(key)), key.numerics, key.policy,
                          key.device.model, outcomes});
  }
  return table;
}

Table runs(const Arguments& arguments, const Context& context) {
  Table table{"runs",
              {{"run", "run", Show::number},
               {"kernel", "kernel"},
               {"types", "types"},
               {"dims", "dims"},
               {"policy", "policy", Show::text, Place::machines},
               {"numerics", "class", Show::text, Place::machines},
               {"device", "device"},
               {"driver", "driver"},
               {"nvrtc", "NVRTC", Show::text, Place::machines},
               {"origin", "origin"},
               {"strategy", "strategy"},
               {"ended", "ended"},
               {"complete", "complete", Show::text, Place::machines},
               {"winners", "winners", Show::number, Place::machines},
               {"age_s", "age", Show::age_s},
               {"uid", "uid", Show::text, Place::machines},
               {"command", "command", Show::text, Place::machines}},
              {}};
  const std::int64_t now_unix_s = unix_now_s();
  const db::Store store = open_for_reading(context);
  store.visit_runs(arguments.value("KERNEL").value_or(""), db::RunParts::head, [&](const db::StoredRun& run) {
    table.rows.push_back(
        {run.id, run.problem.kernel, types_text(run.problem.types), named(all_dims(run.problem)),
         run.problem.policy, run.problem.numerics, run.problem.device.model, run.info.toolchain.driver_name,
         run.info.toolchain.nvrtc_version, std::string(db::to_text(run.info.origin)), run.info.strategy,
         run.ended_unix_s.has_value(), run.end.complete, static_cast<std::int64_t>(run.winners.size()),
         age_s(run.info.started_unix_s, now_unix_s), run.info.uid, run.info.command});
  });
  report_faults(store, context);
  return table;
}

struct Topic {
  const char* name;
  Table (*table)(const Arguments&, const Context&);
};
constexpr Topic topics[] = {{"kernels", kernels},
                            {"tunables", tunables},
                            {"strategies", strategy_table},
                            {"formats", format_table},
                            {"devices", devices},
                            {"problems", problems},
                            {"runs", runs}};

int run(const Arguments& arguments, const Context& context) {
  const std::string wanted = arguments.value("WHAT").value_or("kernels");
  std::vector<std::string> names;
  for (const Topic& topic : topics) {
    names.emplace_back(topic.name);
    if (wanted != topic.name) continue;
    Document document;
    document.tables.push_back(topic.table(arguments, context));
    context.print(document);
    return 0;
  }
  throw Error(ErrorKind::usage, "nothing to list under '" + wanted + "'", name_hint(wanted, names));
}

}  // namespace

Command list_command() {
  return {"list",
          "kernels, tunables, strategies, formats; devices, problems and runs of a database",
          examples,
          {{"WHAT", "kernels (default), tunables, strategies, formats, devices, problems, runs", false},
           {"KERNEL", "one kernel only", false}},
          {},
          run};
}

}  // namespace warptune::tuner
