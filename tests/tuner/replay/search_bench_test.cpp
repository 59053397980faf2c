// The bench on a space made by a formula; and that the strategies learn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <warptune/base/error.hpp>

#include "tests/tuner/replay/made_space.hpp"
#include "tuner/replay/search_bench.hpp"

namespace warptune::tuner {
namespace {

std::vector<std::unique_ptr<RecordedSpace>> made_spaces(double std_share = 0) {
  std::vector<std::unique_ptr<RecordedSpace>> spaces;
  spaces.push_back(std::unique_ptr<RecordedSpace>(new RecordedSpace(test::made_space(std_share))));
  return spaces;
}

SearchBenchOptions quick(const std::vector<std::string>& names) {
  SearchBenchOptions options;
  options.strategies = names;
  options.budgets = {20, 60};
  options.seeds = 5;
  options.p_limit = 60;
  return options;
}

TEST(SearchBench, HasARowForEachStrategySpaceAndBudget) {
  const auto rows = run_search_bench(made_spaces(), quick({"random", "exhaustive"}));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].strategy, "random");
  EXPECT_EQ(rows[0].space, "made");
  EXPECT_EQ(rows[0].budget, 20);
  EXPECT_EQ(rows[3].strategy, "exhaustive");
  EXPECT_EQ(rows[3].budget, 60);
  for (const SearchBenchRow& row : rows) {
    EXPECT_GT(row.median_fraction, 0);
    EXPECT_LT(row.median_fraction, 1);
  }
  EXPECT_LE(rows[0].median_fraction, rows[1].median_fraction);
}

// The first 20 configs in order have WARPS 1 and TILE 1: the best is UNROLL 4, CACHE 1, PAD 0, at 1 + 0.9 + 1 ms.
TEST(SearchBench, ScoresTheExhaustiveOrderAsWorkedOutByHand) {
  const auto rows = run_search_bench(made_spaces(), quick({"exhaustive"}));
  EXPECT_NEAR(rows[0].median_fraction, 1 / 2.9, 1e-12);
  // 60 configs: TILE 1, 2 and 4, the last at 1 + 0.9 + 0.6 ms.
  EXPECT_NEAR(rows[1].median_fraction, 1 / 2.5, 1e-12);
}

TEST(SearchBench, GivesTheSameOnAnyNumberOfThreadsAndAgain) {
  const auto first = run_search_bench(made_spaces(), quick({"auto"}));
  const auto second = run_search_bench(made_spaces(), quick({"auto"}));
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].mean_fraction, second[i].mean_fraction);
}

TEST(SearchBench, StrategiesThatLearnBeatRandomSearch) {
  const auto rows = run_search_bench(made_spaces(), quick({"random", "auto", "model", "local", "evolution"}));
  std::map<std::string, double> at_60;
  for (const SearchBenchRow& row : rows)
    if (row.budget == 60) at_60[row.strategy] = row.mean_fraction;
  for (const char* name : {"auto", "model", "local", "evolution"})
    EXPECT_GT(at_60[name], at_60["random"]) << name;
  EXPECT_GT(at_60["auto"], 0.999) << "an additive space of 760 configs";
}

// As real kernels have them: words, switches, a constant, values that mean "none", over half of the configs failing.
RecordedSpace hard_space() {
  RecordedTable table{{"block_x", "block_y", "tile", "unroll", "layout", "shared", "read_only", "gpu"}, {}};
  for (int x = 16; x <= 512; x *= 2)
    for (int y = 1; y <= 16; y *= 2)
      for (const int tile : {1, 2, 3, 4, 6, 8})
        for (const int unroll : {0, 1, 2, 4})
          for (const char* layout : {"row", "column", "tiled"})
            for (int shared = 0; shared < 2; ++shared)
              for (int read_only = 0; read_only < 2; ++read_only) {
                if (x * y < 32) continue;
                const double registers = 24 + 9 * tile + 6 * unroll;
                const bool failed = x * y > 1024 || registers * x * y > 24000 || (shared && x * tile > 512);
                const std::string word = layout;
                const double time = 1 + 0.4 * std::abs(std::log2(x * y / 128.0)) +
                                    0.25 * std::abs(std::log2(tile / 3.0)) +
                                    (word == "tiled" ? 0
                                     : word == "row" ? 0.3
                                                     : 0.8) +
                                    0.1 * std::abs(unroll - 2) + (shared ? 0 : 0.4 / tile) +
                                    0.05 * read_only + (x < 32 ? 0.5 : 0);
                RecordedRow row;
                for (const int value : {x, y, tile, unroll}) row.values.push_back(std::to_string(value));
                row.values.insert(row.values.end(),
                                  {word, std::to_string(shared), read_only ? "true" : "false", "one"});
                if (!failed) row.time_ms = time;
                table.rows.push_back(std::move(row));
              }
  return {"hard", table, {}};
}

// The parameters hardly interact, so that `local`, which changes one at a time, is quickest here and no measure.
TEST(SearchBench, AutoBeatsEvolutionAndRandomSearchWhereMostConfigsFail) {
  std::vector<std::unique_ptr<RecordedSpace>> spaces;
  spaces.push_back(std::unique_ptr<RecordedSpace>(new RecordedSpace(hard_space())));
  const auto& results = spaces.front()->results();
  const auto failing =
      std::count_if(results.begin(), results.end(), [](const auto& each) { return !each.time_ms; });
  EXPECT_GT(static_cast<double>(failing) / static_cast<double>(results.size()), 0.5);
  EXPECT_EQ(spaces.front()->parameters().size(), 7U) << "the constant is none";
  SearchBenchOptions options = quick({"random", "auto", "evolution"});
  options.seeds = 4;
  std::map<std::string, double> at_60;
  for (const SearchBenchRow& row : run_search_bench(spaces, options))
    if (row.budget == 60) at_60[row.strategy] = row.mean_fraction;
  for (const char* name : {"evolution", "random"}) EXPECT_GT(at_60["auto"], at_60[name]) << name;
  EXPECT_GT(at_60["auto"], 0.9);
}

TEST(SearchBench, FindsTheOptimumUnderNoiseToo) {
  SearchBenchOptions options = quick({"auto"});
  options.noise = true;
  EXPECT_GT(run_search_bench(made_spaces(0.02), options)[1].mean_fraction, 0.99);
}

TEST(SearchBench, AsksForSeveralAtOnce) {
  SearchBenchOptions options = quick({"auto"});
  options.batch = 8;
  EXPECT_GT(run_search_bench(made_spaces(), options)[1].mean_fraction, 0.99);
}

TEST(SearchBench, EveryPartOfTheModelCanBeLeftOut) {
  for (const char* part :
       {"features", "compiled", "failures", "divisibility", "kernels", "local", "widths"}) {
    SearchBenchOptions options = quick({"auto"});
    options.seeds = 3;
    leave_out(options.parts, part);
    EXPECT_GT(run_search_bench(made_spaces(), options)[1].mean_fraction, 0.9) << part;
  }
}

TEST(SearchBench, RefusesAnUnknownStrategy) {
  EXPECT_THROW(run_search_bench(made_spaces(), quick({"guess"})), Error);
}

}  // namespace
}  // namespace warptune::tuner
