// `warptune show`: what won, and for a stated problem how every config did.
#include <algorithm>

#include <warptune/base/error.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/convergence_table.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/device_choice.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/cli/winner_table.hpp"
#include "tuner/report/config_text.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune show\n"
    "  warptune show dot --db h200.db\n"
    "  warptune show dot --types T=half --dims n=2^24\n"
    "  warptune show dot --types T=half --dims n=2^24 --top 0 --json\n"
    "  warptune show dot --types T=half --dims n=2^24 --convergence\n";

constexpr std::int64_t top_by_default = 20;

Table configs_table() {
  return {"configs",
          {{"types", "types"},
           {"dims", "dims"},
           {"numerics", "class"},
           {"policy", "policy", Show::text, Place::machines},
           {"rank", "rank", Show::number},
           {"time_ns", "time", Show::time_ns},
           {"over_best", "over best", Show::factor},
           {"alignment_bytes", "align", Show::number},
           {"registers", "regs", Show::number},
           {"local_bytes", "local", Show::number},
           {"max_error", "max error", Show::number},
           {"blocks", "blocks", Show::number},
           {"config", "config", Show::text, Place::below}},
          {}};
}

void add_configs(const db::Store& store, const db::ProblemKey& key, std::int64_t top, Table& table) {
  std::vector<db::StoredOutcome> outcomes = store.outcomes(key);
  std::erase_if(outcomes, [](const db::StoredOutcome& each) {
    return each.outcome.status != to_string(OutcomeStatus::ok) || !each.outcome.time_ns;
  });
  std::sort(outcomes.begin(), outcomes.end(), [](const db::StoredOutcome& a, const db::StoredOutcome& b) {
    return std::pair(*a.outcome.time_ns, config_text(a.outcome.config)) <
           std::pair(*b.outcome.time_ns, config_text(b.outcome.config));
  });
  std::int64_t rank = 0;
  for (const db::StoredOutcome& stored : outcomes) {
    if (++rank > top && top > 0) break;
    const db::OutcomeRecord& outcome = stored.outcome;
    table.rows.push_back({types_text(key.types), named(all_dims(key)), key.numerics, key.policy, rank,
                          *outcome.time_ns, *outcome.time_ns / *outcomes.front().outcome.time_ns,
                          std::int64_t{outcome.alignment_bytes}, std::int64_t{outcome.registers},
                          std::int64_t{outcome.local_bytes}, optional_cell(outcome.max_error),
                          static_cast<std::int64_t>(outcome.blocks_ns.size()), outcome.config});
  }
}

Table counts_table(const db::Store& store, const std::vector<db::ProblemKey>& problems) {
  Table table{"outcomes",
              {{"types", "types"},
               {"dims", "dims"},
               {"numerics", "class"},
               {"outcome", "outcome"},
               {"count", "configs", Show::number}},
              {}};
  for (const db::ProblemKey& key : problems)
    for (const auto& [status, count] : store.outcome_counts(key))
      table.rows.push_back({types_text(key.types), named(all_dims(key)), key.numerics, status, count});
  return table;
}

int run(const Arguments& arguments, const Context& context) {
  const std::string kernel = arguments.value("KERNEL").value_or("");
  const db::Store store = open_for_reading(context);
  const spec::TemplatePtr spec = kernel.empty() ? nullptr : template_for(kernel, store);
  const ProblemFilter filter = stated_filter(spec == nullptr ? kernel : spec->name, spec.get(), arguments);
  const std::int64_t top = arguments.count("top").value_or(top_by_default);
  if (arguments.has("convergence") && (kernel.empty() || filter.dims.empty()))
    throw Error(ErrorKind::usage, "--convergence needs a kernel and --dims",
                "write `warptune show KERNEL --dims ... --convergence`");

  std::vector<db::StoredWinner> winners = store.winners(std::nullopt, filter.kernel);
  std::erase_if(winners, [&](const db::StoredWinner& each) { return !filter.matches(each.problem); });
  if (!arguments.has("alignments")) winners = widest_only(winners);
  const Freshness freshness(present_toolchain());

  Document document;
  document.tables.push_back(winner_table(winners, freshness, unix_now_s()));
  if (!kernel.empty() && !filter.dims.empty()) {
    std::vector<db::ProblemKey> problems = store.problems(filter.kernel);
    std::erase_if(problems, [&](const db::ProblemKey& key) { return !filter.matches(key); });
    std::sort(problems.begin(), problems.end());
    Table configs = configs_table();
    for (const db::ProblemKey& key : problems) add_configs(store, key, top, configs);
    document.tables.push_back(std::move(configs));
    document.tables.push_back(counts_table(store, problems));
    if (arguments.has("convergence")) add_convergence(store, spec, problems, document);
  }
  if (winners.empty())
    document.notes.push_back("No winner is stored for this in '" + context.database.string() +
                             "'. `warptune tune` finds one.");
  context.print(document);
  report_faults(store, context);
  return 0;
}

}  // namespace

Command show_command() {
  using Kind = OptionSpec::Kind;
  return {"show",
          "what won, by how much, how sure, and how fresh",
          examples,
          {{"KERNEL", "one kernel only; with --dims every config is ranked", false}},
          problem_options({
              {"policy", Kind::value, "cold|hot", "one policy only"},
              {"alignments", Kind::flag, "", "a row for each alignment class, not the widest alone"},
              {"convergence", Kind::flag, "",
               "with --dims: which trials brought something faster, and what may be left to find"},
              {"top", Kind::value, "N", "rank at most N configs per problem (default 20, 0: all)"},
          }),
          run};
}

}  // namespace warptune::tuner
