// merge, prune, export and import, diff, failures: the real program on recordings.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include <warptune/db/store.hpp>

#include "tests/tuner/cli/program.hpp"

namespace warptune::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class Lifecycle : public testing::Test {
 protected:
  Lifecycle() { make_recording(folder_ / "a.db"); }

  ProgramResult run(const Words& words) const { return run_program(words, folder_ / "."); }
  Json json(Words words) const {
    words.emplace_back("--json");
    const ProgramResult result = run(words);
    EXPECT_EQ(result.code, 0) << words[0] << ": " << result.err;
    return Json::parse(result.out, nullptr, false);
  }
  db::Store open(const std::string& file, db::OpenMode mode = db::OpenMode::read_only) const {
    return db::Store::open(folder_ / file, mode);
  }
  // A copy with what was measured on another model of GPU.
  void copy_for_other_gpu(const std::string& to) const {
    db::Store other = open(to, db::OpenMode::create);
    open("a.db").visit_runs({}, db::RunParts::all, [&](db::StoredRun run) {
      run.info.uid += "-other";
      run.problem.device.model = "NVIDIA H100 PCIe";
      other.add_run(run);
    });
  }
  // A copy in which `change` was done to every run, as new runs.
  template <class Change>
  void copy_changed(const std::string& to, Change change) const {
    db::Store other = open(to, db::OpenMode::create);
    open("a.db").visit_runs({}, db::RunParts::all, [&](db::StoredRun run) {
      run.info.uid += "-" + to;
      change(run);
      other.add_run(run);
    });
  }

  TemporaryFolder folder_;
};

TEST_F(Lifecycle, ShowTellsLongDimsWhole) {
  copy_changed("long.db", [](db::StoredRun& run) {
    run.problem.free_dims = {{"batch", 4096}, {"channels", 1024}, {"height", 65536}, {"width", 1048576}};
  });
  const ProgramResult shown = run({"show", "--db", "long.db"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  for (const char* dim : {"batch=4096", "channels=1024", "height=65536", "width=1048576"})
    EXPECT_NE(shown.out.find(dim), std::string::npos) << dim << " in:\n" << shown.out;
  for (const std::string& line : lines(shown.out)) EXPECT_LE(line.size(), 100u) << line;
}

TEST_F(Lifecycle, MergeKeepsBothGpusAndTwiceIsOnce) {
  copy_for_other_gpu("b.db");
  const Json merged = json({"merge", "a.db", "b.db", "--db", "all.db"});
  ASSERT_EQ(merged["files"].size(), 2u);
  EXPECT_EQ(merged["files"][0]["runs_added"], 2);
  EXPECT_EQ(merged["files"][1]["runs_added"], 2);
  EXPECT_TRUE(merged["conflicts"].empty());
  const Json again = json({"merge", "a.db", "b.db", "--db", "all.db"});
  EXPECT_EQ(again["files"][0]["runs_known"], 2);
  EXPECT_EQ(again["files"][0]["outcomes_added"], 0);
  EXPECT_EQ(json({"show", "--db", "all.db"})["winners"].size(), 4u);
  EXPECT_EQ(json({"show", "--db", "all.db", "--gpu", "H100"})["winners"].size(), 2u);
  EXPECT_EQ(json({"list", "devices", "--db", "all.db"})["devices"].size(), 2u);
}

TEST_F(Lifecycle, MergeReportsConflictsAndWhatDecided) {
  copy_changed("b.db", [](db::StoredRun& run) {
    for (db::WinnerRecord& winner : run.winners) {
      winner.config["UNROLL"] = std::int64_t{99};
      winner.complete = false;
      winner.certified = false;
    }
  });
  const ProgramResult result = run({"merge", "b.db", "--db", "a.db"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json conflicts = json({"merge", "b.db", "--db", "a.db"})["conflicts"];
  ASSERT_FALSE(conflicts.empty());
  for (const Json& conflict : conflicts) {
    EXPECT_EQ(conflict["kept_from"], "a.db");
    EXPECT_NE(conflict["kept"]["UNROLL"], 99);
    EXPECT_EQ(conflict["passed_over"]["UNROLL"], 99);
  }
  for (const std::string& line : lines(result.out)) EXPECT_LE(line.size(), 100u) << line;
}

TEST_F(Lifecycle, MergeReadsReadOnlyFilesAndRefusesItself) {
  chmod((folder_ / "a.db").c_str(), 0444);
  EXPECT_EQ(run({"merge", "a.db", "--db", "all.db"}).code, 0);
  const ProgramResult itself = run({"merge", "./all.db", "--db", "all.db"});
  EXPECT_EQ(itself.code, 2);
  EXPECT_EQ(lines(itself.err).size(), 1u) << itself.err;
  // A name that is wrong costs nothing: no target is made.
  EXPECT_EQ(run({"merge", "a.db", "none.db", "--db", "new.db"}).code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new.db"));
}

TEST_F(Lifecycle, ExportedJsonComesBackAsItWas) {
  std::ofstream(folder_ / "all.json") << run({"export", "--db", "a.db"}).out;
  const Json imported = json({"import", "all.json", "--db", "b.db"});
  EXPECT_EQ(imported["runs_added"], 2);
  const Json before = json({"export", "--db", "a.db"}), after = json({"export", "--db", "b.db"});
  ASSERT_EQ(before["runs"].size(), 2u);
  EXPECT_EQ(before["runs"], after["runs"]);
  EXPECT_EQ(before["calibrations"], after["calibrations"]);
  EXPECT_EQ(open("a.db").outcome_total(), open("b.db").outcome_total());
  EXPECT_EQ(json({"import", "all.json", "--db", "b.db"})["runs_known"], 2);
}

TEST_F(Lifecycle, T4GoesOutAndComesBackAsImported) {
  const Words problem = {"--types", "T=half", "--dims", "n=2^20"};
  Words words = {"export", "dot", "--db", "a.db", "--format", "t4"};
  words.insert(words.end(), problem.begin(), problem.end());
  const ProgramResult exported = run(words);
  ASSERT_EQ(exported.code, 0) << exported.err;
  EXPECT_EQ(exported.err, "");
  const Json t4 = Json::parse(exported.out);
  EXPECT_EQ(t4["schema_version"], "1.0.0");
  ASSERT_EQ(t4["results"].size(), 40u);
  for (const Json& result : t4["results"])
    for (const char* member : {"configuration", "times", "invalidity", "correctness"})
      EXPECT_TRUE(result.contains(member)) << member;
  std::ofstream(folder_ / "t4.json") << exported.out;
  EXPECT_EQ(json({"import", "t4.json", "--db", "b.db"})["outcomes_added"], 40);
  const Json shown = json({"show", "--db", "b.db"});
  ASSERT_EQ(shown["winners"].size(), 1u);
  EXPECT_EQ(shown["winners"][0]["origin"], "imported");
  EXPECT_EQ(shown["winners"][0]["certified"], false);
  // The runtime does not use what nobody verified here.
  EXPECT_EQ(json({"explain", "dot", "--types", "T=half", "--dims", "n=2^20", "--db", "b.db", "--device",
                  "recorded:a.db"})["match"],
            "default");
}

TEST_F(Lifecycle, T4OfAnotherTunerNeedsItsProblemNamed) {
  std::ofstream(folder_ / "kt.json") << R"({"schema_version": "1.0.0", "results": [
        {"timestamp": "2026-01-02 03:04:05.678+00:00", "configuration": {"NUM_THREADS": 256, "PACK": 8},
         "objectives": ["time"], "times": {"compilation": 10.0, "runtimes": [0.03, 0.01, 0.02]},
         "invalidity": "correct", "correctness": 1,
         "measurements": [{"name": "time", "value": 0.0205, "unit": "ms"}]},
        {"configuration": {"NUM_THREADS": 2048, "PACK": 8}, "times": {"runtimes": []}, "invalidity": "compile",
         "correctness": 1, "measurements": [{"name": "time", "value": "CompilationFailedConfig", "unit": "ms"}]}]})";
  const ProgramResult nameless = run({"import", "kt.json", "--db", "b.db"});
  EXPECT_EQ(nameless.code, 1);
  EXPECT_EQ(lines(nameless.err).size(), 1u) << nameless.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b.db"));
  json({"import", "kt.json", "dot", "--types", "T=half", "--dims", "n=2^20", "--device", "recorded:a.db",
        "--db", "b.db"});
  const Json shown = json({"show", "dot", "--types", "T=half", "--dims", "n=2^20", "--db", "b.db"});
  EXPECT_EQ(shown["winners"][0]["time_ns"], 20500.0) << "the measurement, not the median of the runtimes";
  EXPECT_EQ(shown["outcomes"].size(), 2u);
}

TEST_F(Lifecycle, ImportOfWhatIsWrongChangesNothing) {
  const std::map<std::string, std::string> documents = {
      {"empty.json", ""},
      {"text.json", "hello"},
      {"other.json", "{\"name\": 1}"},
      {"list.json", "[1, 2]"},
      {"deep.json", std::string(100000, '[')},
      {"late.json", R"({"format": "warptune 1", "runs": [{"uid": "x", "problem": {"kernel": 3}}]})"},
      {"norun.json", R"({"format": "warptune 1", "winners": []})"},
  };
  for (const auto& [name, text] : documents) {
    std::ofstream(folder_ / name) << text;
    const ProgramResult result = run({"import", name, "--db", "new.db"});
    EXPECT_EQ(result.code, 1) << name;
    EXPECT_EQ(result.out, "") << name;
    EXPECT_EQ(lines(result.err).size(), 1u) << name << ": " << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "new.db")) << name;
  }
}

TEST_F(Lifecycle, DiffTellsChangesFromNoise) {
  // Every time a third longer, with blocks that say so.
  copy_changed("slow.db", [](db::StoredRun& run) {
    for (db::OutcomeRecord& outcome : run.outcomes) {
      if (outcome.time_ns) outcome.time_ns = *outcome.time_ns * 4 / 3;
      for (float& block : outcome.blocks_ns) block = block * 4 / 3;
    }
    for (db::WinnerRecord& winner : run.winners) winner.time_ns = winner.time_ns * 4 / 3;
    run.info.toolchain.driver_name = "999.1";
  });
  const Json slower = json({"diff", "a.db", "slow.db"});
  ASSERT_FALSE(slower["winners"].empty());
  for (const Json& winner : slower["winners"]) {
    EXPECT_EQ(winner["verdict"], "slower");
    EXPECT_NEAR(winner["change"].get<double>(), 1.0 / 3, 1e-6);
    EXPECT_EQ(winner["same_config"], true);
  }
  for (const Json& problem : slower["problems"]) {
    EXPECT_NEAR(problem["median_change"].get<double>(), 1.0 / 3, 1e-6);
    EXPECT_EQ(problem["slower"], problem["common"]);
    EXPECT_EQ(problem["faster"], 0);
  }
  EXPECT_EQ(slower["beside"][0]["field"], "driver");
  const Json same = json({"diff", "a.db", "a.db"});
  for (const Json& winner : same["winners"]) EXPECT_EQ(winner["verdict"], "unchanged");
  EXPECT_TRUE(same["configs"].empty());
  EXPECT_EQ(json({"diff", "a.db:1", "a.db:1"})["problems"].size(), 1u);
  EXPECT_EQ(run({"diff", "a.db:9", "a.db"}).code, 1);
  EXPECT_EQ(run({"diff", "a.db"}).code, 2);
}

TEST_F(Lifecycle, PruneTakesStaleRowsAndThoseOfOldDrivers) {
  copy_changed("all.db", [](db::StoredRun& run) { run.info.toolchain.driver_version += 10; });
  ASSERT_EQ(run({"merge", "a.db", "--db", "all.db"}).code, 0);
  {
    db::Store store = open("all.db", db::OpenMode::read_write);
    open("a.db").visit_runs({}, db::RunParts::all, [&](db::StoredRun run) {
      run.info.uid += "-stale";
      run.problem.template_hash = "00";
      store.add_run(run);
    });
  }
  ASSERT_EQ(json({"list", "runs", "--db", "all.db"})["runs"].size(), 6u);
  const std::string before = content(folder_ / "all.db");
  const Json planned = json({"prune", "--db", "all.db", "--stale", "--old-driver", "--dry-run"});
  EXPECT_EQ(planned["runs_removed"], 4);
  EXPECT_EQ(json({"list", "runs", "--db", "all.db"})["runs"].size(), 6u) << "a dry run removes nothing";
  const Json pruned = json({"prune", "--db", "all.db", "--stale", "--old-driver"});
  EXPECT_EQ(pruned["runs_removed"], 4);
  EXPECT_EQ(pruned["runs"].size(), 4u);
  EXPECT_LT(pruned["file_bytes_after"], pruned["file_bytes_before"]);
  const Json left = json({"list", "runs", "--db", "all.db"});
  ASSERT_EQ(left["runs"].size(), 2u);
  EXPECT_TRUE(left["runs"][0]["uid"].get<std::string>().ends_with("-all.db")) << "those of the newer driver";
  EXPECT_EQ(json({"show", "--db", "all.db"})["winners"].size(), 2u)
      << "nothing that was tuned is untuned now";
}

TEST_F(Lifecycle, PruneLeavesARunThatMayGoOn) {
  {
    db::Store store = open("a.db", db::OpenMode::read_write);
    db::ProblemKey stale = store.problems().front();
    stale.template_hash = "00";
    db::RunInfo info;  // begins now
    store.begin_run(stale, info);
    info.started_unix_s = 1'700'000'000;  // its tuner was killed long ago
    store.begin_run(stale, info);
  }
  const Json pruned = json({"prune", "--db", "a.db", "--stale"});
  EXPECT_EQ(pruned["runs_removed"], 1);
  EXPECT_EQ(pruned["runs"][0]["run"], 4);
  EXPECT_EQ(pruned["notes"].size(), 1u);
  EXPECT_EQ(json({"list", "runs", "--db", "a.db"})["runs"].size(), 3u);
}

TEST_F(Lifecycle, NumbersThatNoTunerWritesAreShownAllTheSame) {
  {
    db::Store store = open("b.db", db::OpenMode::create);
    open("a.db").visit_runs({}, db::RunParts::all, [&](db::StoredRun run) {
      run.info.started_unix_s = INT64_MIN;
      run.ended_unix_s = INT64_MAX;
      for (db::WinnerRecord& winner : run.winners) winner.time_ns = 1e308, winner.bytes = 1e-300;
      for (db::OutcomeRecord& outcome : run.outcomes)
        outcome.at_unix_ms = INT64_MIN, outcome.registers = INT32_MAX;
      store.add_run(run);
    });
  }
  for (const Words& words : {Words{"show"},
                             {"show", "dot", "--dims", "n=2^20", "--types", "T=half"},
                             {"list", "runs"},
                             {"failures"},
                             {"export"},
                             {"export", "dot", "--format", "t4"},
                             {"report"},
                             {"prune", "--dry-run"},
                             {"diff", "a.db", "b.db"}}) {
    Words of_b = words;
    of_b.insert(of_b.end(), {"--db", "b.db"});
    EXPECT_EQ(run(of_b).code, 0) << words[0];
  }
}

TEST_F(Lifecycle, ShowSaysWhatTheWinnerLosesAtNeighbours) {
  {
    db::Store store = open("b.db", db::OpenMode::create);
    open("a.db").visit_runs({}, db::RunParts::all, [&](db::StoredRun run) {
      const db::WinnerRecord& winner = run.winners.back();
      db::NamedValues other = winner.config;
      other["UNROLL"] = std::int64_t{99};
      const std::int64_t twice = 2 * run.problem.free_dims.at("n");
      run.neighbours = {{{{"n", twice}}, winner.config, 1100, 12}, {{{"n", twice}}, other, 1000, 12}};
      store.add_run(run);
    });
  }
  const Words words = {"show", "dot", "--types", "T=half", "--dims", "n=2^20", "--db", "b.db"};
  const Json neighbours = json(words)["neighbours"];
  ASSERT_EQ(neighbours.size(), 1u);
  EXPECT_EQ(neighbours[0]["dims"]["n"], 1 << 21);
  EXPECT_NEAR(neighbours[0]["winner_loss"].get<double>(), 0.1, 1e-9);
  EXPECT_TRUE(neighbours[0]["default_loss"].is_null());
  EXPECT_EQ(neighbours[0]["fastest"]["UNROLL"], 99);
  for (const std::string& line : lines(run(words).out)) EXPECT_LE(line.size(), 100u) << line;
}

TEST_F(Lifecycle, FailuresAreCountedByKindWithAnExample) {
  const Json kinds = json({"failures", "--db", "a.db"});
  ASSERT_EQ(kinds["failures"].size(), 2u) << "one kind for each problem";
  EXPECT_EQ(kinds["failures"][0]["status"], "launch_error");
  EXPECT_EQ(kinds["failures"][0]["reason"], "planted");
  EXPECT_EQ(kinds["failures"][0]["example"]["NUM_THREADS"], 32);
  std::int64_t counted = 0;
  for (const Json& kind : kinds["failures"]) counted += kind["configs"].get<std::int64_t>();
  const Json each = json({"failures", "dot", "--each", "--db", "a.db"});
  EXPECT_EQ(static_cast<std::int64_t>(each["failures"].size()), counted);
  EXPECT_EQ(each["configs_failed"], counted);
  EXPECT_TRUE(json({"failures", "--status", "crashed", "--db", "a.db"})["failures"].empty());
  EXPECT_EQ(run({"failures", "--status", "crash", "--db", "a.db"}).code, 2);
}

TEST_F(Lifecycle, ShowFiltersAndSorts) {
  const Json by_time = json({"show", "--db", "a.db", "--sort", "time"});
  ASSERT_EQ(by_time["winners"].size(), 2u);
  EXPECT_EQ(by_time["winners"][0]["dims"]["n"], 1048576);
  EXPECT_EQ(json({"show", "--db", "a.db", "--sort", "time", "--reverse"})["winners"][0]["dims"]["n"],
            4194304);
  EXPECT_EQ(json({"show", "--db", "a.db", "--sort", "time", "--limit", "1"})["winners"].size(), 1u);
  EXPECT_EQ(json({"show", "--db", "a.db", "--only", "measured"})["winners"].size(), 2u);
  EXPECT_TRUE(json({"show", "--db", "a.db", "--only", "replayed"})["winners"].empty());
  EXPECT_TRUE(json({"show", "--db", "a.db", "--gpu", "A100"})["winners"].empty());
  EXPECT_EQ(run({"show", "--db", "a.db", "--only", "stail"}).code, 2);
  const Json database = json({"show", "--db", "a.db"})["database"][0];
  EXPECT_EQ(database["bytes"], std::filesystem::file_size(folder_ / "a.db"));
  EXPECT_EQ(database["runs"], 2);
  EXPECT_GE(database["newest_age_s"], 0);
}

}  // namespace
}  // namespace warptune::test
