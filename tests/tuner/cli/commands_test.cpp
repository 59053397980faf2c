// The real program on a recording: what users see.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include <warptune/db/store.hpp>

#include "tests/tuner/cli/program.hpp"

namespace warptune::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class Program : public testing::Test {
 protected:
  Program() { make_recording(folder_ / "recording.db"); }

  ProgramResult run(Words words) const { return run_program(words, folder_ / "."); }
  ProgramResult tune(Words more = {}, const std::string& n = "2^20") const {
    Words words = {"tune",   "dot",    "--types",  "T=half",
                   "--dims", "n=" + n, "--device", "recorded:recording.db"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  TemporaryFolder folder_;
};

TEST_F(Program, TuneReplaysStoresAndSaysWhatIsNext) {
  const ProgramResult tuned = tune();
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_EQ(tuned.err, "");
  EXPECT_TRUE(contains(tuned.out, "replayed")) << tuned.out;
  EXPECT_TRUE(contains(tuned.out, "launch_error")) << tuned.out;
  for (const char* phase : {"compile", "load", "verify", "measure", "race", "store"})
    EXPECT_TRUE(contains(tuned.out, phase)) << phase;
  const std::string next = "Next: warptune show dot --types T=f16 --dims n=1048576\n";
  EXPECT_TRUE(contains(tuned.out, next)) << tuned.out;

  const ProgramResult shown = run({"show", "dot", "--types", "T=f16", "--dims", "n=1048576", "--json"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  const Json document = Json::parse(shown.out);
  ASSERT_EQ(document["winners"].size(), 1u);
  EXPECT_EQ(document["winners"][0]["origin"], "replayed");
  EXPECT_EQ(document["winners"][0]["device"], "NVIDIA H200");
  const Json& configs = document["configs"];
  ASSERT_GE(configs.size(), 10u);
  for (std::size_t i = 1; i < configs.size(); ++i)
    EXPECT_LE(configs[i - 1]["time_ns"], configs[i]["time_ns"]);
}

TEST_F(Program, TuneJsonIsOneEventPerLine) {
  const ProgramResult tuned = tune({"--json", "--no-save"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  std::map<std::string, int> events;
  for (const std::string& line : lines(tuned.out)) ++events[Json::parse(line)["event"]];
  EXPECT_EQ(events["start"], 1);
  EXPECT_EQ(events["result"], 1);
  EXPECT_GE(events["winner"], 1);
  EXPECT_GE(events["outcome"], 40);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "tuning.db"));
}

TEST_F(Program, RangesTuneOneProblemAfterAnother) {
  const ProgramResult tuned = tune({"--db", "two.db"}, "2^20..2^22:x4");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const Json document = Json::parse(run({"--db", "two.db", "--json", "show"}).out);
  ASSERT_EQ(document["winners"].size(), 2u);
  EXPECT_EQ(document["winners"][0]["dims"]["n"], 1048576);
  EXPECT_EQ(document["winners"][1]["dims"]["n"], 4194304);
}

TEST_F(Program, EveryReadingCommandGivesOneDocument) {
  ASSERT_EQ(tune().code, 0);
  for (const Words& words :
       {Words{"show"}, Words{"show", "dot", "--alignments"}, Words{"list"}, Words{"list", "tunables", "dot"},
        Words{"list", "strategies"}, Words{"list", "formats"}, Words{"list", "devices"},
        Words{"list", "problems"}, Words{"export"}, Words{"export", "dot", "--what", "outcomes"},
        Words{"explain", "dot", "--types", "T=half", "--dims", "n=2^20", "--device",
              "recorded:recording.db"}}) {
    Words json = words;
    json.insert(json.begin(), "--json");
    const ProgramResult document = run(json);
    EXPECT_EQ(document.code, 0) << words[0] << document.err;
    EXPECT_FALSE(Json::parse(document.out, nullptr, false).is_discarded()) << words[0] << document.out;
    const ProgramResult table = run(words);
    EXPECT_EQ(table.code, 0) << words[0] << table.err;
    EXPECT_FALSE(table.out.empty());
    if (words[0] == "export") continue;  // a document for programs
    for (const std::string& line : lines(table.out)) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST_F(Program, ExportedCsvHasOneLinePerWinner) {
  ASSERT_EQ(tune().code, 0);
  const ProgramResult exported = run({"export", "--format", "csv"});
  const std::vector<std::string> rows = lines(exported.out);
  const std::size_t winners = Json::parse(run({"export", "--json"}).out)["winners"].size();
  ASSERT_GE(winners, 2u);
  EXPECT_EQ(rows.size(), 1 + winners);
  EXPECT_EQ(rows[0].rfind("kernel,types,dims,", 0), 0u) << rows[0];
}

TEST_F(Program, ExplainSaysWhatRunsAndWhatExcludesAConfig) {
  const Words problem = {"explain", "dot",  "--types",      "T=half",   "--dims",
                         "n=2^20",  "--db", "recording.db", "--device", "recorded:recording.db",
                         "--json"};
  const Json tuned = Json::parse(run(problem).out);
  EXPECT_EQ(tuned["match"], "tuned");
  EXPECT_EQ(tuned["tuned_dims"]["n"], 1048576);
  EXPECT_GT(tuned["valid_configs"], 100);
  EXPECT_FALSE(tuned["exclusions"].empty());

  Words narrow = problem;
  narrow.insert(narrow.end(), {"--align", "2"});
  EXPECT_LE(Json::parse(run(narrow).out)["needs_alignment_bytes"], 2);

  Words bad = problem;
  bad.insert(bad.end(), {"--config", "MULTIPLY=half2", "PACK=1"});
  const Json excluded = Json::parse(run(bad).out);
  EXPECT_EQ(excluded["asked_config_valid"], false);
  EXPECT_FALSE(excluded["because"].get<std::string>().empty());

  // Nothing tuned for float: the default, and the reason.
  const Json untuned = Json::parse(run({"explain", "dot", "--types", "T=float", "--dims", "n=2^20", "--db",
                                        "recording.db", "--device", "recorded:recording.db", "--json"})
                                       .out);
  EXPECT_EQ(untuned["match"], "default");
}

TEST_F(Program, AReplayedWinnerIsNotWhatTheRuntimeUses) {
  ASSERT_EQ(tune().code, 0);
  const Json document = Json::parse(run({"explain", "dot", "--types", "T=half", "--dims", "n=2^20",
                                         "--device", "recorded:recording.db", "--json"})
                                        .out);
  EXPECT_EQ(document["match"], "default");
}

TEST_F(Program, H02AnUnwritableDatabaseIsRefusedBeforeTheSearch) {
  std::filesystem::create_directory(folder_ / "locked");
  std::filesystem::copy_file(folder_ / "recording.db", folder_ / "locked/tuning.db");
  chmod((folder_ / ".").c_str(), 0755);
  chmod((folder_ / "recording.db").c_str(), 0644);
  chmod((folder_ / "locked/tuning.db").c_str(), 0444);
  chmod((folder_ / "locked").c_str(), 0555);
  const auto as_user = [&](Words more) {
    Words words = {"--db", "locked/tuning.db"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, folder_ / ".", true);
  };
  const Words tune_words = {"tune",   "dot",    "--types",  "T=half",
                            "--dims", "n=2^20", "--device", "recorded:recording.db"};
  const ProgramResult refused = as_user(tune_words);
  if (refused.code == 127) GTEST_SKIP() << "an ordinary user cannot start the program from here";
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(lines(refused.err).size(), 1u) << refused.err;
  EXPECT_TRUE(contains(refused.err, "--no-save")) << refused.err;
  Words unsaved = tune_words;
  unsaved.emplace_back("--no-save");
  EXPECT_EQ(as_user(unsaved).code, 0);
  for (const Words& words : {Words{"show"}, Words{"export"}, Words{"list", "problems"}}) {
    const ProgramResult result = as_user(words);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_FALSE(result.out.empty());
  }
  chmod((folder_ / "locked").c_str(), 0755);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_ / "locked")) ++files;
  EXPECT_EQ(files, 1u);
}

TEST_F(Program, H03ADamagedDatabaseIsKeptUnderAnotherName) {
  std::string noise = content(folder_ / "recording.db");
  std::fill_n(noise.begin(), 512, '\x5a');
  std::ofstream(folder_ / "tuning.db", std::ios::binary) << noise;
  const ProgramResult tuned = tune();
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_TRUE(contains(tuned.err, "damaged")) << tuned.err;
  bool kept = false;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "."))
    kept = kept || (entry.path().filename() != "tuning.db" && content(entry.path()) == noise);
  EXPECT_TRUE(kept);
  EXPECT_EQ(run({"show"}).code, 0);
}

TEST_F(Program, H03AnEmptyFileCountsAsNew) {
  std::ofstream(folder_ / "tuning.db");
  const ProgramResult tuned = tune();
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_EQ(tuned.err, "");
}

}  // namespace
}  // namespace warptune::test
