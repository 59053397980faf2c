// `bench search` and `show --convergence`, as users see them.
#include <gtest/gtest.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include "tests/tuner/cli/program.hpp"

namespace warptune::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class SearchCommands : public testing::Test {
 protected:
  SearchCommands() {
    std::ofstream file(folder_ / "small.csv");
    file << "x,y,time_ms,status\n";
    for (int x = 1; x <= 8; ++x)
      for (int y = 1; y <= 8; ++y)
        file << x << ',' << y << ',' << (x == 8 && y == 8 ? "" : std::to_string(1 + x * x + y)) << ','
             << (x == 8 && y == 8 ? "compile" : "ok") << '\n';
  }
  ProgramResult run(const Words& words) const { return run_program(words, folder_ / "."); }
  ProgramResult bench(const Words& more) const {
    Words words = {"bench", "search", "--spaces", ".", "--seeds", "3"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  TemporaryFolder folder_;
};

TEST_F(SearchCommands, BenchGivesOneRowForEachStrategySpaceAndBudget) {
  const ProgramResult result = bench({"--strategies", "auto,exhaustive", "--budgets", "5,64", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json rows = Json::parse(result.out)["results"];
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0]["strategy"], "auto");
  EXPECT_EQ(rows[0]["space"], "small");
  EXPECT_EQ(rows[0]["budget"], 5);
  EXPECT_EQ(rows[1]["median_fraction"], 1.0) << "64 of 64 configs";
  EXPECT_TRUE(rows[0]["p"].is_number());
  EXPECT_EQ(rows[2]["median_fraction"], 1.0) << "the first config in order is the optimum";
}

TEST_F(SearchCommands, BenchHasATableAndCsv) {
  const ProgramResult table = bench({"--strategies", "random", "--budgets", "5"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(contains(table.out, "optimum/best")) << table.out;
  std::istringstream lines(table.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  const ProgramResult csv = bench({"--strategies", "random", "--budgets", "5", "--format", "csv"});
  EXPECT_TRUE(csv.out.starts_with("strategy,space,budget,median_fraction")) << csv.out;
}

TEST_F(SearchCommands, BenchRefusesInOneLine) {
  const auto refused = [&](const Words& words, int code, const std::string& part) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_TRUE(contains(result.err, part)) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  };
  refused({"bench", "search"}, 2, "--spaces");
  refused({"bench", "nothing"}, 1, "dot, embedding");
  refused({"bench", "search", "--spaces", "absent"}, 1, "absent");
  refused({"bench", "search", "--spaces", ".", "--strategies", "atuo"}, 1, "auto");
  refused({"bench", "search", "--spaces", ".", "--budgets", "0"}, 2, "'0'");
  refused({"bench", "search", "--spaces", ".", "--without", "feature"}, 1, "features");
  std::ofstream(folder_ / "broken.csv") << "x,time_ms\n1\n";
  refused({"bench", "search", "--spaces", "."}, 1, "broken.csv");
}

TEST_F(SearchCommands, ShowConvergenceListsWhatGotFaster) {
  make_recording(folder_ / "recording.db");
  ASSERT_EQ(
      run({"tune", "dot", "--types", "T=half", "--dims", "n=2^20", "--device", "recorded:recording.db"}).code,
      0);
  const ProgramResult shown =
      run({"show", "dot", "--types", "T=half", "--dims", "n=2^20", "--convergence", "--json"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  const Json document = Json::parse(shown.out), steps = document["convergence"];
  ASSERT_GE(steps.size(), 1u);
  for (std::size_t i = 1; i < steps.size(); ++i) {
    EXPECT_LT(steps[i]["time_ns"], steps[i - 1]["time_ns"]);
    EXPECT_GT(steps[i]["trial"], steps[i - 1]["trial"]);
  }
  EXPECT_EQ(steps.back()["over_best"], 1.0);
  ASSERT_EQ(document["outlook"].size(), 1u);
  const Json outlook = document["outlook"][0];
  EXPECT_GE(outlook["trials"], steps.back()["trial"]);
  ASSERT_TRUE(outlook["any_gain"].is_number()) << outlook;
  EXPECT_GE(outlook["any_gain"], outlook["gain"]);
  EXPECT_GE(outlook["any_chance"], outlook["chance"]);
  EXPECT_TRUE(outlook["at_most"].is_number()) << outlook;
  EXPECT_TRUE(outlook["unknown"].is_number());
  ASSERT_EQ(run({"report", "-o", "report.html"}).code, 0);
  EXPECT_TRUE(contains(content(folder_ / "report.html"), "\"outlook\":{\"chance\":"));
  EXPECT_EQ(run({"show", "--convergence"}).code, 2);
}

}  // namespace
}  // namespace warptune::test
