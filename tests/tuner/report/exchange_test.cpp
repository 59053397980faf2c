// JSON that can be read back, and T4: what is written, what is read, what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <warptune/base/error.hpp>

#include "tuner/report/run_json.hpp"
#include "tuner/report/t4_run.hpp"

namespace warptune::tuner {
namespace {

db::StoredRun sample() {
  db::StoredRun run;
  run.info.uid = "u";
  run.problem.kernel = "<b>\"x";
  run.problem.types = {{"T", "__half"}};
  run.problem.free_dims = {{"n", INT64_MAX}};
  run.problem.device = {"NVIDIA H200", 90, 132, 62914560, 141};
  run.problem.policy = "cold";
  run.info.seed = UINT64_MAX;
  run.info.strategy = "random";
  run.info.started_unix_s = 5;
  run.ended_unix_s = 9;
  run.end.wall_s = 0.1;
  run.end.clocks = {{"sm_mhz_median", 1980}};
  db::OutcomeRecord outcome;
  outcome.config = {{"PACK", std::int64_t{-8}}, {"FINISH", std::string("two \"pass\"")}};
  outcome.status = "ok";
  outcome.time_ns = 17811.2509765625;
  outcome.blocks_ns = {17811.251F, 0.1F, 3.4e38F};
  outcome.max_error = std::numeric_limits<double>::infinity();
  outcome.at_unix_ms = 1'700'000'001'234;
  run.outcomes = {outcome};
  db::WinnerRecord winner;
  winner.config = outcome.config;
  winner.time_ns = 0.1 + 0.2;
  winner.certified = true;
  winner.certified_by = "race";
  run.winners = {winner};
  run.neighbours = {{{{"n", INT64_MAX - 1}}, outcome.config, 0.1 + 0.7, 12}};
  return run;
}

TEST(RunJson, KeepsEveryBit) {
  const db::StoredRun run = sample();
  const std::string text = json_text(json_of(run));
  const JsonValue parsed = parse_json(text, "text");
  const db::StoredRun read = read_run(JsonReader(parsed, ""));
  EXPECT_EQ(read.problem, run.problem);
  EXPECT_EQ(read.info.seed, UINT64_MAX);
  EXPECT_EQ(read.ended_unix_s, 9);
  EXPECT_EQ(read.end.wall_s, 0.1);
  EXPECT_EQ(read.end.clocks, run.end.clocks);
  ASSERT_EQ(read.outcomes.size(), 1u);
  EXPECT_EQ(read.outcomes[0].config, run.outcomes[0].config);
  EXPECT_EQ(read.outcomes[0].time_ns, run.outcomes[0].time_ns);
  EXPECT_EQ(read.outcomes[0].blocks_ns, run.outcomes[0].blocks_ns);
  EXPECT_TRUE(std::isinf(*read.outcomes[0].max_error));
  ASSERT_EQ(read.winners.size(), 1u);
  EXPECT_EQ(read.winners[0].time_ns, 0.1 + 0.2);
  EXPECT_EQ(read.winners[0].certified_by, "race");
  EXPECT_FALSE(read.winners[0].default_time_ns.has_value());
  EXPECT_EQ(read.neighbours, run.neighbours);
  EXPECT_EQ(json_text(json_of(read)), text);
}

TEST(RunJson, KeepsTheMarksOfARunThatDidNotEnd) {
  db::StoredRun run = sample();
  run.ended_unix_s.reset();
  run.end = {};
  run.info.marks = {{"callers_operands", 1}};
  std::string text = json_text(json_of(run));
  const JsonValue parsed = parse_json(text, "text");
  const db::StoredRun read = read_run(JsonReader(parsed, ""));
  EXPECT_FALSE(read.ended_unix_s);
  EXPECT_EQ(read.info.marks, run.info.marks);
  const std::string marks = "\"marks\":{\"callers_operands\":1.0},";
  ASSERT_NE(text.find(marks), std::string::npos) << text;
  text.erase(text.find(marks), marks.size());
  const JsonValue earlier = parse_json(text, "text");
  EXPECT_TRUE(read_run(JsonReader(earlier, "")).info.marks.empty());
}

TEST(RunJson, KeepsLibraryTimesAndOursBesideThem) {
  db::ReferenceTime time;
  time.kernel = "dot";
  time.library = "cublas";
  time.call = "cublasDotEx";
  time.time_ns = 0.1 + 0.2;
  time.samples = 24;
  time.beside = db::Beside{{{"PACK", std::int64_t{8}}}, 0.1, 3.0000000000000004};
  const auto there_and_back = [](const db::ReferenceTime& each) {
    const JsonValue parsed = parse_json(json_text(json_of(each)), "text");
    return read_reference_time(JsonReader(parsed, ""));
  };
  const db::ReferenceTime read = there_and_back(time);
  EXPECT_EQ(read.time_ns, 0.1 + 0.2);
  ASSERT_TRUE(read.beside);
  EXPECT_EQ(read.beside->config, time.beside->config);
  EXPECT_EQ(read.beside->time_ns, 0.1);
  EXPECT_EQ(read.beside->speedup, 3.0000000000000004);
  time.beside.reset();
  EXPECT_FALSE(there_and_back(time).beside);
}

TEST(RunJson, NamesThePlaceOfWhatDoesNotFit) {
  const std::string good = json_text(json_of(sample()));
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const JsonValue parsed = parse_json(text, "text");
    try {
      read_run(JsonReader(parsed, "runs[0]"));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return std::string(error.what());
    }
    ADD_FAILURE() << "accepted " << to;
    return std::string();
  };
  EXPECT_NE(refused("\"PACK\":-8", "\"PACK\":0.5").find("runs[0].outcomes[0].config.PACK"),
            std::string::npos);
  EXPECT_NE(refused("\"sm_count\":132", "\"sm_count\":9999999999").find("sm_count"), std::string::npos);
  EXPECT_NE(refused("\"origin\":\"measured\"", "\"origin\":\"guessed\"").find("origin"), std::string::npos);
  EXPECT_NE(refused("\"uid\":\"u\",", "").find("lacks 'uid'"), std::string::npos);
  EXPECT_NE(refused("\"seed\":\"18446744073709551615\"", "\"seed\":\"-1\"").find("seed"), std::string::npos);
}

TEST(JsonText, ForHtmlHoldsNoTag) {
  EXPECT_EQ(json_text(JsonValue("</script><b>"), true), "\"\\u003c/script>\\u003cb>\"");
  EXPECT_EQ(json_text(JsonValue(std::nan(""))), "null");
}

TEST(T4, WritesMillisecondsAndTheFormatsWords) {
  db::StoredRun run = sample();
  run.outcomes[0].blocks_ns = {20000.0F, 30000.0F};
  run.outcomes[0].time_ns = 25000;
  const std::string text = json_text(t4_result(run.problem, run.outcomes[0]));
  EXPECT_NE(text.find("\"runtimes\":[0.02,0.03]"), std::string::npos) << text;
  EXPECT_NE(text.find("{\"name\":\"time\",\"value\":0.025,\"unit\":\"ms\"}"), std::string::npos) << text;
  EXPECT_NE(text.find("\"timestamp\":\"2023-11-14T22:13:21.234+00:00\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"invalidity\":\"correct\",\"correctness\":1"), std::string::npos) << text;
}

std::vector<T4Result> t4(const std::string& result) {
  const JsonValue parsed = parse_json("{\"schema_version\":\"1.0.0\",\"results\":[" + result + "]}", "t4");
  return read_t4(JsonReader(parsed, ""));
}

TEST(T4, ReadsUnitsTimesAndValues) {
  const auto results =
      t4(R"({"timestamp":"2023-11-14 23:13:21.234+01:00","configuration":{"a":true,"b":2.0,"c":0.5,"d":"w"},
          "times":{"runtimes":[0.03,0.01,0.02]},"invalidity":"correct","correctness":1,
          "measurements":[{"name":"time","value":2.5,"unit":"us"}]},
         {"configuration":{},"times":{"runtimes":[0.03,0.01,0.02]},"invalidity":"correct","correctness":1},
         {"configuration":{},"times":{},"invalidity":"timeout","correctness":0})");
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].outcome.at_unix_ms, 1'700'000'001'234);
  EXPECT_EQ(results[0].outcome.time_ns, 2500);
  EXPECT_EQ(results[0].outcome.config, (db::NamedValues{{"a", std::int64_t{1}},
                                                        {"b", std::int64_t{2}},
                                                        {"c", std::string("0.5")},
                                                        {"d", std::string("w")}}));
  EXPECT_NEAR(*results[1].outcome.time_ns, 20000, 0.01) << "the median of the runtimes";
  EXPECT_EQ(results[2].outcome.status, "timed_out");
  EXPECT_FALSE(results[2].outcome.time_ns.has_value());
}

TEST(T4, RefusesWhatItCannotMean) {
  EXPECT_THROW(t4(R"({"configuration":{},"times":{},"invalidity":"wrong","correctness":1})"), Error);
  EXPECT_THROW(t4(R"({"configuration":{},"times":{},"invalidity":"correct","correctness":1})"), Error)
      << "no time";
  EXPECT_THROW(t4(R"({"configuration":{"a":[1]},"times":{},"invalidity":"compile","correctness":1})"), Error);
  EXPECT_THROW(t4(R"({"times":{},"invalidity":"compile","correctness":1})"), Error);
}

TEST(T4, TheFastestOfEachAlignmentClassWins) {
  std::vector<T4Result> results(3);
  const std::int64_t alignments[] = {1, 16, 16};
  const double times[] = {10, 9, 8};
  for (std::size_t i = 0; i < 3; ++i) {
    results[i].outcome.status = "ok";
    results[i].outcome.config = {{"i", static_cast<std::int64_t>(i)}};
    results[i].outcome.time_ns = times[i];
    results[i].outcome.alignment_bytes = static_cast<int>(alignments[i]);
  }
  db::ProblemKey problem;
  problem.kernel = "k";
  const auto runs = t4_runs(results, problem, {"f.json", "hash", "import"});
  ASSERT_EQ(runs.size(), 1u);
  ASSERT_EQ(runs[0].winners.size(), 2u);
  EXPECT_EQ(runs[0].winners[0].time_ns, 10);
  EXPECT_EQ(runs[0].winners[1].time_ns, 8);
  EXPECT_EQ(runs[0].info.origin, db::Origin::imported);
  EXPECT_FALSE(runs[0].winners[1].certified);
  EXPECT_THROW(t4_runs(results, std::nullopt, {"f.json", "hash", "import"}), Error);
  EXPECT_THROW(t4_runs({}, problem, {"f.json", "hash", "import"}), Error);
}

}  // namespace
}  // namespace warptune::tuner
