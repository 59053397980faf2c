// `warptune bundle`: winners with their machine code in one read-only file, for applications that ship.
#include <algorithm>

#include <fmt/format.h>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>

#include "tuner/bundle/make_bundle.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/progress_bar.hpp"
#include "tuner/cli/signals.hpp"
#include "tuner/report/config_text.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune bundle -o app.wtb\n"
    "  warptune bundle -o app.wtb a100.db h200.db --arch sm_80,sm_90,sm_100\n"
    "  warptune bundle -o app.wtb --kernel dot --kernel templates/row_sum.toml --json\n";

// "sm_80,sm_90" and repeated.
std::vector<std::string> asked_architectures(const Arguments& arguments) {
  std::vector<std::string> architectures;
  for (const std::string& list : arguments.values("arch")) {
    for (const std::string_view each : split(list, ',')) {
      const std::string_view name = trim(each);
      const std::string_view digits = name.starts_with("sm_") ? name.substr(3) : std::string_view();
      const bool number = !digits.empty() && std::all_of(digits.begin(), digits.end(),
                                                         [](char c) { return c >= '0' && c <= '9'; });
      if (!number)
        throw Error(ErrorKind::usage, fmt::format("--arch takes names such as sm_90, not '{}'", name),
                    "list them with commas: --arch sm_80,sm_90");
      architectures.emplace_back(name);
    }
  }
  return architectures;
}

std::vector<db::Store> open_sources(const Arguments& arguments, const Context& context) {
  std::vector<std::string> files = arguments.values("DB");
  if (files.empty()) files.push_back(context.database.string());
  std::vector<db::Store> sources;
  for (const std::string& file : files) {
    Context named = context;
    named.database = file;
    sources.push_back(open_for_reading(named));
  }
  return sources;
}

Table groups_table(const BundleContent& content) {
  Table table{"groups",
              {{"kernel", "kernel"},
               {"types", "types"},
               {"attributes", "attributes", Show::text, Place::machines},
               {"numerics", "numerics", Show::text, Place::machines},
               {"policy", "policy", Show::text, Place::machines},
               {"device", "GPU"},
               {"winners", "winners", Show::number},
               {"cover_configs", "cover", Show::number},
               {"cover_worst_loss", "worst loss", Show::share},
               {"cover_smallest", "smallest"},
               {"cover_unserved", "unserved", Show::number}},
              {}};
  for (const BundleGroup& group : content.groups) {
    const GroupCover& cover = group.cover;
    table.rows.push_back({group.spec->name, types_text(group.key().types), named(group.key().attributes),
                          group.key().numerics, group.key().policy, group.key().device.model,
                          static_cast<std::int64_t>(group.winners.size()),
                          static_cast<std::int64_t>(cover.configs.size()),
                          cover.configs.empty() ? Cell() : Cell(cover.worst_loss), cover.smallest,
                          static_cast<std::int64_t>(cover.unserved)});
  }
  return table;
}

// The configs for shapes between the tuned ones.
Table covers_table(const BundleContent& content) {
  Table table{"covers",
              {{"kernel", "cover of"},
               {"types", "types"},
               {"attributes", "attributes", Show::text, Place::machines},
               {"policy", "policy", Show::text, Place::machines},
               {"device", "GPU"},
               {"serves", "serves", Show::number},
               {"worst_loss", "worst loss", Show::share},
               {"config", "config", Show::text, Place::below}},
              {}};
  for (const BundleGroup& group : content.groups) {
    for (const db::NamedValues& config : group.cover.configs) {
      std::int64_t serves = 0;
      double worst = 0;
      for (const db::CoverRow& row : group.cover.rows) {
        if (row.config != config) continue;
        ++serves;
        worst = std::max(worst, row.loss);
      }
      table.rows.push_back({group.spec->name, types_text(group.key().types), named(group.key().attributes),
                            group.key().policy, group.key().device.model, serves, worst, config});
    }
  }
  return table;
}

Table binaries_table(const BundleReport& report) {
  Table table{"binaries",
              {{"architecture", "architecture"},
               {"form", "form"},
               {"kernels", "kernels", Show::number},
               {"bytes", "size", Show::bytes}},
              {}};
  for (const auto& [architecture, size] : report.architectures)
    table.rows.push_back({architecture,
                          std::string(architecture.starts_with("sm_") ? "machine code" : "PTX, defaults"),
                          size.kernels, size.bytes});
  return table;
}

// As a C++ string literal holds it.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text)
    result += letter == '"' || letter == '\\' ? std::string{'\\', letter} : std::string{letter};
  return result + "\"";
}

int run(const Arguments& arguments, const Context& context) {
  BundleRequest request;
  const auto output = arguments.value("output");
  if (!output || output->empty())
    throw Error(ErrorKind::usage, "bundle needs the name of the file to write",
                "name it: warptune bundle -o app.wtb");
  request.output = *output;
  request.kernels = arguments.values("kernel");
  request.jobs = {asked_architectures(arguments), arguments.has("tuned-types")};
  const std::vector<db::Store> sources = open_sources(arguments, context);
  const auto compiler = runtime::open_nvrtc();
  for (const std::string& architecture : request.jobs.architectures)
    runtime::require_support(*compiler, architecture);

  const InterruptScope interrupt;
  ProgressBar bar(context.err, context.err_is_terminal && !context.json);
  BundleReport report;
  try {
    report = make_bundle(sources, request, *compiler, [&](std::size_t done, std::size_t total) {
      if (*interrupt.stop()) throw Interrupted();
      TuneProgress progress;
      progress.done = static_cast<std::int64_t>(done);
      progress.total = static_cast<std::int64_t>(total);
      bar.update(progress);
    });
  } catch (const Interrupted&) {
    bar.clear();
    context.err << "warptune: interrupted: no bundle was written\n";
    return interrupt.exit_code();
  }
  bar.clear();

  Document document;
  document.fields = {
      {"bundle", request.output.string()}, {"bytes", report.bytes}, {"nvrtc_version", compiler->version()}};
  document.tables = {groups_table(report.content), covers_table(report.content), binaries_table(report)};
  document.notes = report.content.left_out;
  document.notes.push_back("Open it: auto runtime = warptune::runtime::Runtime::open(" +
                           quoted(request.output.string()) + ");");
  context.print(document);
  for (const db::Store& source : sources) report_faults(source, context);
  return 0;
}

}  // namespace

Command bundle_command() {
  using Kind = OptionSpec::Kind;
  return {
      "bundle",
      "winners with their machine code in one read-only file, to ship",
      examples,
      {{"DB", "databases to take winners from (default: the one of --db); they are only read", false, true}},
      {{"output", Kind::value, "FILE", "the bundle; replaced as a whole if it is one already", 'o'},
       {"arch", Kind::values, "LIST",
        "architectures whose defaults get machine code, beside those of the tuned GPUs: sm_80,sm_90"},
       {"kernel", Kind::values, "NAME", "only this kernel: its name, or its manifest's path; repeatable"},
       {"tuned-types", Kind::flag, "",
        "defaults for the types of winners alone, not for all that the manifest allows"}},
      run};
}

}  // namespace warptune::tuner
