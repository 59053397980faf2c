// `warptune bench search`: how good the search is, on spaces that were recorded whole.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <warptune/base/error.hpp>

#include "tuner/cli/bench_command.hpp"
#include "tuner/cli/search_options.hpp"
#include "tuner/replay/recordings.hpp"
#include "tuner/replay/search_bench.hpp"
#include "tuner/report/formats.hpp"

namespace warptune::tuner {
namespace {

std::vector<std::int64_t> budgets_of(const std::string& list) {
  std::vector<std::int64_t> budgets;
  for (const std::string& word : words_of(list)) {
    std::int64_t budget = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), budget);
    if (error != std::errc() || end != word.data() + word.size() || budget < 1 || budget > 1000000)
      throw Error(ErrorKind::usage, "--budgets: '" + word + "' is no number of trials from 1 to 1000000",
                  "write whole numbers: --budgets 25,50,100");
    budgets.push_back(budget);
  }
  std::sort(budgets.begin(), budgets.end());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

std::vector<std::string> all_strategies() {
  std::vector<std::string> names;
  for (const StrategyInfo& info : strategies())
    if (info.name != "exhaustive") names.emplace_back(info.name);
  return names;
}

Table results_table(const std::vector<SearchBenchRow>& rows) {
  Table table{"results",
              {{"strategy", "strategy"},
               {"space", "space"},
               {"budget", "trials", Show::number},
               {"median_fraction", "optimum/best", Show::number},
               {"mean_fraction", "mean", Show::number},
               {"p", "P", Show::number},
               {"ms_a_proposal", "ms/trial", Show::number}},
              {}};
  for (const SearchBenchRow& row : rows)
    table.rows.push_back({row.strategy, row.space, row.budget, row.median_fraction, row.mean_fraction, row.p,
                          row.ms_a_proposal});
  return table;
}

// The mean over the spaces, a row a strategy and budget; budget 0: over the budgets too.
Table means_table(const std::vector<SearchBenchRow>& rows, const SearchBenchOptions& options) {
  Table table{"means",
              {{"strategy", "strategy"},
               {"budget", "trials", Show::number},
               {"median_fraction", "optimum/best", Show::number},
               {"mean_fraction", "mean", Show::number},
               {"p", "P", Show::number}},
              {}};
  for (const std::string& strategy : options.strategies) {
    for (std::size_t i = 0; i <= options.budgets.size(); ++i) {
      const bool all = i == options.budgets.size();
      double median = 0, mean = 0, p = 0, count = 0;
      for (const SearchBenchRow& row : rows) {
        if (row.strategy != strategy || (!all && row.budget != options.budgets[i])) continue;
        median += row.median_fraction;
        mean += row.mean_fraction;
        p += row.p;
        ++count;
      }
      table.rows.push_back({strategy, all ? Cell(std::string("all")) : Cell(options.budgets[i]),
                            median / count, mean / count, p / count});
    }
  }
  return table;
}

}  // namespace

std::vector<OptionSpec> search_bench_options() {
  using Kind = OptionSpec::Kind;
  return {
      {"spaces", Kind::value, "DIR", "search: folder of recordings: .csv, .csv.gz, or T4 .json, .json.gz"},
      {"strategies", Kind::value, "A,B", "search: which (default all but exhaustive)"},
      {"budgets", Kind::value, "N,M", "search: trials (default 25,50,100,200,400)"},
      {"seeds", Kind::value, "N", "search: runs of each (default 50)"},
      {"batch", Kind::value, "N", "search: candidates asked for at once (default 1)"},
      {"noise", Kind::flag, "", "search: strategies see single runs, drawn from the recorded spread"},
      {"without", Kind::value, "PARTS", "search: leave parts of the models out: features, failures, ..."},
      {"format", Kind::value, "table|csv|json", "search: form of the output (default table)"},
  };
}

int bench_search(const Arguments& arguments, const Context& context) {
  const std::optional<std::string> folder = arguments.value("spaces");
  if (!folder)
    throw Error(ErrorKind::usage, "`warptune bench search` needs --spaces DIR",
                "name a folder of recorded spaces");
  SearchBenchOptions options;
  options.strategies =
      arguments.has("strategies") ? words_of(*arguments.value("strategies")) : all_strategies();
  for (const std::string& name : options.strategies) find_strategy(name);
  if (arguments.has("budgets")) options.budgets = budgets_of(*arguments.value("budgets"));
  // Who asks for small budgets does not wait for the whole range of P.
  if (options.budgets.back() < 400) options.p_limit = static_cast<std::size_t>(options.budgets.back());
  options.seeds = arguments.count("seeds").value_or(options.seeds);
  options.batch = arguments.count("batch").value_or(options.batch);
  if (options.seeds == 0 || options.batch == 0)
    throw Error(ErrorKind::usage, "--seeds and --batch must be at least 1", "leave them out for 50 and 1");
  options.noise = arguments.has("noise");
  if (arguments.has("without")) options.parts = parts_without(*arguments.value("without"));
  const FormatInfo& format =
      find_format(context.json ? "json" : arguments.choice("format", {"table", "csv", "json"}, "table"));

  const auto spaces = load_recorded_spaces(*folder);
  const std::vector<SearchBenchRow> rows = run_search_bench(spaces, options);
  Document document;
  document.tables.push_back(results_table(rows));
  document.tables.push_back(means_table(rows, options));
  document.notes.push_back(
      "optimum/best: median over the seeds of the recording's fastest time over the fastest found, failed "
      "configs "
      "counted as trials. P: 0 is random search, 1 the optimum at once.");
  format.write(document, context.out, {context.color, 100});
  return 0;
}

}  // namespace warptune::tuner
