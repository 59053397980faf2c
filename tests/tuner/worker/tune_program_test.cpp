// `warptune tune` with candidates that crash, hang and fail: what it prints, stores and returns, and how it is stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "tests/tuner/worker/tuning_program.hpp"

namespace warptune::test {
namespace {

using ::testing::HasSubstr;
using Seconds = std::chrono::duration<double>;

class TuneProgram : public TuningProgram {
 protected:
  // Waits until so many outcomes were printed.
  bool wait_for_outcomes(std::size_t count) const {
    for (int tries = 0; tries < 600; ++tries) {
      if (events(content(folder_ / "out"), "outcome").size() >= count) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  std::vector<std::string> winners() const {
    std::vector<std::string> names;
    for (const Json& winner : events(content(folder_ / "out"), "winner"))
      names.push_back(config_name(winner));
    return names;
  }
};

TEST_F(TuneProgram, H14FaultyVariantsFailAndTheOthersAreMeasured) {
  const ProgramResult result = run(tune(R"("right", "slow", "illegal", "segfault")"));
  EXPECT_EQ(result.code, 0) << result.err;
  const Json end = events(result.out, "result").at(0);
  EXPECT_EQ(end["counts"], (Json{{"ok", 8}, {"crashed", 8}}));
  for (const auto& [name, status] : stored())
    EXPECT_EQ(status, name.starts_with("right") || name.starts_with("slow") ? "ok" : "crashed") << name;
  EXPECT_EQ(stored().size(), 16u);
  ASSERT_EQ(winners().size(), 1u);
  EXPECT_THAT(winners()[0], ::testing::AnyOf(HasSubstr("right"), HasSubstr("slow")));
  EXPECT_TRUE(no_worker_stays(folder_ / ""));
}

TEST_F(TuneProgram, H15EndlessVariantsAreStoppedAndTimeIsBounded) {
  const auto start = std::chrono::steady_clock::now();
  const ProgramResult result = run(tune(R"("right", "hangs")", {"--launch-limit", "1"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(events(result.out, "result").at(0)["counts"], (Json{{"ok", 4}, {"timed_out", 4}}));
  for (const Json& outcome : events(result.out, "outcome"))
    if (outcome["status"] == "timed_out") {
      EXPECT_EQ(outcome["reason"], "verify takes more than 1 s");
    }
  EXPECT_LT(Seconds(std::chrono::steady_clock::now() - start).count(), 40);
  EXPECT_TRUE(no_worker_stays(folder_ / ""));
}

TEST_F(TuneProgram, OperandsFromFilesAreWhatConfigsAreVerifiedOn) {
  std::vector<float> x(1000, 1);
  x[500] = 12345;
  std::ofstream(folder_ / "x.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(x.data()), static_cast<std::streamsize>(x.size() * sizeof x[0]));
  const auto operand = [&](const std::string& text) {
    return run(tune(R"("right", "picky")", {"--operand", text}));
  };
  // What was measured over other values does not answer for these, nor for the next ones.
  ASSERT_EQ(run(tune(R"("right", "picky")")).code, 0);
  const ProgramResult result = operand("x=x.bin");
  EXPECT_EQ(result.code, 0) << result.err;
  const Json end = events(result.out, "result").at(0);
  EXPECT_EQ(end["counts"], (Json{{"ok", 4}, {"wrong_result", 4}}));
  EXPECT_THAT(end["verdict"].get<std::string>(),
              HasSubstr("decided over the operands that the caller brought"));
  EXPECT_FALSE(end.contains("constant_operands")) << "all but one of its values are equal";
  EXPECT_EQ(stored()["picky 0"], "wrong_result");
  std::vector<double> marks;
  open().visit_runs("", db::RunParts::head, [&](const db::StoredRun& run) {
    const auto mark = run.end.clocks.find("callers_operands");
    marks.push_back(mark == run.end.clocks.end() ? 0 : mark->second);
  });
  EXPECT_EQ(marks, (std::vector<double>{0, 1}));
  const ProgramResult again = run(tune(R"("right", "picky")"));
  EXPECT_EQ(events(again.out, "result").at(0)["counts"], (Json{{"ok", 8}})) << again.err;
  for (const auto& [text, complaint] :
       std::map<std::string, std::string>{{"x", "--operand takes NAME=FILE, not 'x'"},
                                          {"y=x.bin", "reads no operand 'y'"},
                                          {"x=none.bin", "none.bin"},
                                          {"x=faulty.cu", "and faulty has 4000"}}) {
    const ProgramResult refused = operand(text);
    EXPECT_NE(refused.code, 0) << text;
    EXPECT_EQ(lines(refused.err).size(), 1u) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr(complaint));
  }
}

TEST_F(TuneProgram, ARunLimitEndsWhateverIsGoingOnAndKeepsWhatWasMeasured) {
  const std::string kinds = R"("right", "hangs")";
  const auto start = std::chrono::steady_clock::now();
  const ProgramResult result = run(tune(kinds, {"--launch-limit", "60", "--run-limit", "4"}));
  EXPECT_EQ(result.code, 124) << result.err;
  EXPECT_LT(Seconds(std::chrono::steady_clock::now() - start).count(), 30);
  EXPECT_THAT(result.err, HasSubstr("stopped after --run-limit 4 s"));
  EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
  EXPECT_EQ(stored()["right 0"], "ok");
  EXPECT_TRUE(winners().empty());
  EXPECT_TRUE(no_worker_stays(folder_ / ""));
  const ProgramResult in_time = run(tune(R"("right")", {"--run-limit", "300"}));
  EXPECT_EQ(in_time.code, 0) << in_time.err;
}

TEST_F(TuneProgram, H13WhenEveryVariantFailsOlderWinnersStay) {
  ASSERT_EQ(run(tune(R"("right")")).code, 0);
  const std::string before = run({"show", "--json"}).out;
  const ProgramResult result = run(tune(R"("half", "c_error", "segfault")", {"--fresh"}));
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
  EXPECT_THAT(result.err, HasSubstr("every candidate failed"));
  const Json end = events(result.out, "result").at(0);
  EXPECT_EQ(end["counts"], (Json{{"wrong_result", 4}, {"compile_error", 4}, {"crashed", 4}}));
  for (const char* example : {"instead of", "faulty.cu(3): error: planted", "signal 11"})
    EXPECT_THAT(end["verdict"].get<std::string>(), HasSubstr(example));
  EXPECT_TRUE(events(result.out, "winner").empty());
  const Json now = Json::parse(run({"show", "--json"}).out), then = Json::parse(before);
  EXPECT_EQ(now["winners"].size(), 1u);
  EXPECT_EQ(now["winners"][0]["config"], then["winners"][0]["config"]);
  EXPECT_EQ(now["winners"][0]["time_ns"], then["winners"][0]["time_ns"]);
}

TEST_F(TuneProgram, H16AnInterruptedRunGoesOnWithWhatIsMissing) {
  for (const auto& [signal, code] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    const std::vector<std::string> words = tune(R"("right", "slow", "late", "half", "refused")");
    std::filesystem::remove(folder_ / "out");
    const int process = start_program(words, folder_ / ".");
    ASSERT_TRUE(wait_for_outcomes(5));
    const auto start = std::chrono::steady_clock::now();
    ::kill(process, signal);
    EXPECT_EQ(wait_for(process), code);
    EXPECT_LT(Seconds(std::chrono::steady_clock::now() - start).count(), 5);
    const std::vector<Json> reported = events(content(folder_ / "out"), "outcome");
    const auto kept = stored();
    EXPECT_EQ(kept.size(), reported.size());
    for (const Json& outcome : reported)
      EXPECT_EQ(kept.at(config_name(outcome)), outcome["status"].get<std::string>());
    ASSERT_LT(kept.size(), 20u);
    EXPECT_TRUE(no_worker_stays(folder_ / ""));
    const ProgramResult rest = run(words);
    EXPECT_EQ(rest.code, 0) << rest.err;
    const Json end = events(rest.out, "result").at(0);
    EXPECT_EQ(end["reused"], kept.size());
    EXPECT_EQ(stored().size(), 20u);
    std::filesystem::remove(folder_ / "tuning.db");
  }
}

TEST_F(TuneProgram, H16ASecondInterruptEndsAtOnce) {
  const int process = start_program(
      tune(R"("right", "hangs")", {"--launch-limit", "0", "--candidate-limit", "0"}), folder_ / ".");
  ASSERT_TRUE(wait_for_outcomes(4));  // those that are right
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto start = std::chrono::steady_clock::now();
  ::kill(process, SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));  // sooner, it would be the same request
  ::kill(process, SIGINT);
  EXPECT_EQ(wait_for(process), 130);
  EXPECT_LT(Seconds(std::chrono::steady_clock::now() - start).count(), 1.5);
  EXPECT_EQ(stored().size(), 4u);
  EXPECT_TRUE(open().integrity_ok());
  EXPECT_TRUE(no_worker_stays(folder_ / ""));
}

TEST_F(TuneProgram, H16OneInterruptGivesUpWhatHangs) {
  const int process = start_program(
      tune(R"("right", "hangs")", {"--launch-limit", "0", "--candidate-limit", "0"}), folder_ / ".");
  ASSERT_TRUE(wait_for_outcomes(4));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto start = std::chrono::steady_clock::now();
  ::kill(process, SIGINT);
  EXPECT_EQ(wait_for(process), 130);
  EXPECT_LT(Seconds(std::chrono::steady_clock::now() - start).count(), 6);
  EXPECT_EQ(events(content(folder_ / "out"), "result").at(0)["interrupted"], true);
  EXPECT_TRUE(no_worker_stays(folder_ / ""));
}

TEST_F(TuneProgram, AVariantThatFailsInTheRaceDoesNotWin) {
  const int process = start_program(tune(R"("right", "late", "slow")"), folder_ / ".");
  ASSERT_TRUE(wait_for_outcomes(12));
  std::ofstream(folder_ / "late") << "now";  // the race has begun, or is about to
  ASSERT_EQ(wait_for(process), 0) << content(folder_ / "err");
  const Json end = events(content(folder_ / "out"), "result").at(0);
  for (const std::string& name : winners()) EXPECT_THAT(name, ::testing::Not(HasSubstr("late")));
  EXPECT_EQ(end["counts"].value("crashed", 0) + end["counts"].value("ok", 0), 12);
}

TEST_F(TuneProgram, TwoTunersOfOneGpuTakeTurns) {
  const std::vector<std::string> words = tune(R"("right", "slow", "late")");
  const int first = start_program(words, folder_ / ".");
  ASSERT_TRUE(wait_for_outcomes(1));
  std::filesystem::create_directory(folder_ / "second");
  std::vector<std::string> again = words;
  again[1] = "../faulty.toml";
  for (const char* more : {"--no-wait", "--share", ""}) {
    std::vector<std::string> second = again;
    if (*more != '\0') second.emplace_back(more);
    second.insert(second.end(), {"--db", "../other.db", "--trials", "3"});
    const ProgramResult result = run_program(second, folder_ / "second");
    if (std::string(more) == "--no-wait") {
      EXPECT_EQ(result.code, 1);
      EXPECT_THAT(result.err, HasSubstr("another warptune tunes on stub"));
      EXPECT_EQ(lines(result.err).size(), 1u);
    } else {
      EXPECT_EQ(result.code, 0) << more << result.err;
      const bool shares = std::string(more) == "--share";
      EXPECT_EQ(result.err.find("waiting for it") == std::string::npos, shares) << result.err;
      EXPECT_EQ(events(result.out, "result").at(0)["verdict"].get<std::string>().find("another tuner") ==
                    std::string::npos,
                !shares);
    }
  }
  EXPECT_EQ(wait_for(first), 0);
}

TEST_F(TuneProgram, SeveralGpusShareTheProblems) {
  std::vector<std::string> words = tune(R"("right", "segfault")", {"--device", "cuda:0,2"});
  words[5] = "n=100,200,300,400";
  const ProgramResult result = run(words);
  EXPECT_EQ(result.code, 0) << result.err;
  std::set<int> dims;
  std::set<std::string> labels;
  for (const Json& end : events(result.out, "result")) {
    dims.insert(end["dims"]["n"].get<int>());
    labels.insert(end["device_label"].get<std::string>());
    EXPECT_EQ(end["counts"], (Json{{"ok", 4}, {"crashed", 4}}));
    EXPECT_EQ(end["device"], "Stub GPU") << "the model, not which of them";
  }
  EXPECT_EQ(dims, (std::set<int>{100, 200, 300, 400}));
  EXPECT_EQ(labels, (std::set<std::string>{"stub:0", "stub:2"}));
  for (const std::string& line : lines(result.out))
    EXPECT_FALSE(Json::parse(line, nullptr, false).is_discarded());
  EXPECT_EQ(Json::parse(run({"show", "--json"}).out)["winners"].size(), 4u);
  EXPECT_TRUE(no_worker_stays(folder_ / ""));
}

TEST_F(TuneProgram, GpusOfSeveralModelsDoNotShareProblems) {
  const ProgramResult mixed = run(tune(R"("right")", {"--device", "cuda:0,7"}));
  EXPECT_EQ(mixed.code, 1);
  EXPECT_THAT(mixed.err, HasSubstr("Other GPU"));
  EXPECT_EQ(lines(mixed.err).size(), 1u);
  EXPECT_EQ(run(tune(R"("right")", {"--device", "cuda:1,1"})).code, 2);
  EXPECT_EQ(run(tune(R"("right")", {"--device", "cuda:1,x"})).code, 2);
}

TEST_F(TuneProgram, LimitsAreOptionsAndWrongOnesAreRefused) {
  for (const char* option :
       {"--compile-limit", "--launch-limit", "--candidate-limit", "--compile-memory", "--compile-workers"}) {
    const ProgramResult result = run(tune(R"("right")", {option, "-1"}));
    EXPECT_EQ(result.code, 2) << option;
    EXPECT_THAT(result.err, HasSubstr(option));
  }
  EXPECT_EQ(run(tune(R"("right")", {"--share", "--no-wait"})).code, 2);
}

TEST_F(TuneProgram, AMissingWorkerIsOneClearLine) {
  ::setenv("WARPTUNE_WORKER", "/nowhere/worker", 1);
  const ProgramResult result = run(tune(R"("right")"));
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
  EXPECT_THAT(result.err, HasSubstr("/nowhere/worker"));
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace warptune::test
