// `warptune show`: what won, and for a stated problem how every config did.
#include <algorithm>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/convergence_table.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/device_choice.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/cli/winner_table.hpp"
#include "tuner/report/config_text.hpp"
#include "tuner/report/nearby.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune show\n"
    "  warptune show dot --db h200.db\n"
    "  warptune show dot --types T=half --dims n=2^24\n"
    "  warptune show dot --types T=half --dims n=2^24 --top 0 --json\n"
    "  warptune show dot --types T=half --dims n=2^24 --convergence\n"
    "  warptune show --only stale --sort age --reverse\n"
    "  warptune show --gpu H200 --sort gain --limit 10\n";

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

// What the winners lose where a dim has another value.
Table nearby_table(const db::Store& store, const std::vector<db::StoredWinner>& winners) {
  Table table{"neighbours",
              {{"types", "types"},
               {"tuned_dims", "tuned", Show::text, Place::machines},
               {"alignment_bytes", "align", Show::number},
               {"dims", "neighbour"},
               {"winner_ns", "winner", Show::time_ns},
               {"winner_loss", "loses", Show::share},
               {"default_ns", "default", Show::time_ns},
               {"default_loss", "loses", Show::share},
               {"configs", "configs", Show::number},
               {"fastest_ns", "fastest", Show::time_ns},
               {"fastest", "fastest", Show::text, Place::below}},
              {}};
  for (const db::StoredWinner& stored : winners) {
    for (const Nearby& each : nearby_of(store.neighbour_times(stored.run), stored.winner)) {
      const auto loss = [&](const std::optional<double>& time_ns) {
        return time_ns ? Cell(*time_ns / each.fastest_ns - 1) : Cell();
      };
      table.rows.push_back({types_text(stored.problem.types), named(all_dims(stored.problem)),
                            std::int64_t{stored.winner.alignment_bytes}, named(each.dims),
                            optional_cell(each.winner_ns), loss(each.winner_ns),
                            optional_cell(each.default_ns), loss(each.default_ns), each.configs,
                            each.fastest_ns, each.fastest});
    }
  }
  return table;
}

// What --sort takes: the word, the column, and whether the greatest comes first.
struct SortKey {
  const char* word;
  const char* column;
  bool greatest_first;
};
constexpr SortKey sort_keys[] = {{"time", "time_ns", false},
                                 {"gain", "gain", true},
                                 {"rate", "bytes_per_s", true},
                                 {"limit", "share_of_limit", true},
                                 {"age", "age_s", false}};

void sort_as_asked(const Arguments& arguments, Table& table) {
  std::vector<std::string> words = {"problem"};
  for (const SortKey& key : sort_keys) words.emplace_back(key.word);
  const std::string asked = arguments.choice("sort", words, "problem");
  const bool reverse = arguments.has("reverse");
  for (const SortKey& key : sort_keys)
    if (asked == key.word) sort_rows(table, key.column, key.greatest_first != reverse);
  if (asked == "problem" && reverse) std::reverse(table.rows.begin(), table.rows.end());
}

// Whether a winner is of a kind that --only names.
bool is_of_kind(const db::StoredWinner& winner, const std::string& kind, const Freshness& freshness) {
  if (kind == "certified") return winner.winner.certified;
  if (kind == "uncertified") return !winner.winner.certified;
  if (kind == "complete") return winner.winner.complete;
  if (kind == "partial") return !winner.winner.complete;
  if (kind == db::to_text(winner.origin)) return true;
  const std::string state = freshness.of(winner.problem, winner.toolchain);
  return kind == "stale" ? state != "fresh" && state != "unchecked" : kind == state;
}

// Drops what --only and --gpu do not name; of several --only all must hold.
void filter_as_asked(const Arguments& arguments, const Freshness& freshness,
                     std::vector<db::StoredWinner>& winners) {
  static const std::vector<std::string> kinds = {"certified", "uncertified", "complete", "partial",
                                                 "measured",  "replayed",    "imported", "fresh",
                                                 "stale",     "unchecked"};
  for (const std::string& kind : arguments.values("only")) {
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      throw Error(ErrorKind::usage, "unknown --only '" + kind + "'", name_hint(kind, kinds));
    std::erase_if(winners, [&](const db::StoredWinner& each) { return !is_of_kind(each, kind, freshness); });
  }
  if (const auto gpu = arguments.value("gpu"))
    std::erase_if(winners, [&](const db::StoredWinner& each) {
      return each.problem.device.model.find(*gpu) == std::string::npos;
    });
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
  Freshness freshness(present_toolchain(), &store);
  freshness.know(spec);
  filter_as_asked(arguments, freshness, winners);
  if (!arguments.has("alignments")) winners = widest_only(std::move(winners));
  const std::size_t found = winners.size();
  const auto limit = arguments.count("limit");

  Document document;
  document.tables.push_back(winner_table(winners, freshness, unix_now_s()));
  Table& table = document.tables.front();
  sort_as_asked(arguments, table);
  if (limit && table.rows.size() > static_cast<std::size_t>(*limit)) {
    table.rows.resize(static_cast<std::size_t>(*limit));
    document.notes.push_back("Shown are " + std::to_string(*limit) + " of " + std::to_string(found) +
                             " winners.");
  }
  if (!kernel.empty() && !filter.dims.empty()) {
    std::vector<db::ProblemKey> problems = store.problems(filter.kernel);
    std::erase_if(problems, [&](const db::ProblemKey& key) { return !filter.matches(key); });
    std::sort(problems.begin(), problems.end());
    Table configs = configs_table();
    for (const db::ProblemKey& key : problems) add_configs(store, key, top, configs);
    document.tables.push_back(std::move(configs));
    document.tables.push_back(counts_table(store, problems));
    document.tables.push_back(nearby_table(store, winners));
    if (arguments.has("convergence")) add_convergence(store, spec, problems, document);
  }
  document.tables.push_back(database_table(store, unix_now_s()));
  if (found == 0)
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
              {"only", Kind::values, "KIND",
               "certified, uncertified, complete, partial, measured, replayed, imported, fresh, stale, "
               "unchecked"},
              {"gpu", Kind::value, "TEXT", "devices whose name holds this text"},
              {"sort", Kind::value, "KEY",
               "problem (default), time, gain, rate, limit, age: best or youngest first"},
              {"reverse", Kind::flag, "", "the other way round"},
              {"limit", Kind::value, "N", "show at most N winners"},
              {"top", Kind::value, "N", "rank at most N configs per problem (default 20, 0: all)"},
          }),
          run};
}

}  // namespace warptune::tuner
