// Records that do not fit here any more, H04 to H06: what show, explain and prune say of them.
#include <gtest/gtest.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include <warptune/db/store.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "tests/spec/sample.hpp"
#include "tests/tuner/cli/program.hpp"
#include "tests/tuner/support/mini_template.hpp"

namespace warptune::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

// A user's template with a header, and a database with a winner of it.
class Stale : public testing::Test {
 protected:
  Stale() {
    std::ofstream(folder_ / "scale.toml") << spec::test::sample_manifest;
    std::ofstream(folder_ / "scale.cu") << "#include \"near.cuh\"\n";
    std::ofstream(folder_ / "near.cuh") << "int near_by();\n";
    store([](db::ProblemKey&, db::RunInfo&, db::WinnerRecord&) {});
  }

  // A run of the template as it is now, changed by `change`.
  template <class Change>
  void store(Change change) const {
    const spec::TemplatePtr spec = spec::load_template(folder_ / "scale.toml");
    spec::Problem problem;
    problem.types.emplace("T", "float");
    problem.dims.emplace("n", 1024);
    problem.dims.emplace("width", 4);
    db::ProblemKey key = runtime::problem_key(spec::Instance(spec, problem, h200()), "cold");
    db::RunInfo info;
    info.template_parts = spec->hash_parts;
    info.toolchain = {13000, "580.1", "13.0", "headers", "0.1.0"};
    db::WinnerRecord winner;
    winner.config = runtime::stored_config(*spec, spec->default_config);
    winner.default_config = winner.config;
    winner.time_ns = 1000;
    winner.complete = winner.certified = true;
    change(key, info, winner);
    db::Store database = db::Store::open(folder_ / "tuning.db", db::OpenMode::create);
    const std::int64_t run = database.begin_run(key, info);
    db::OutcomeRecord outcome;
    outcome.config = winner.config;
    outcome.status = "ok";
    outcome.time_ns = winner.time_ns;
    database.add_outcome(run, outcome);
    database.end_run(run, {}, {winner});
  }
  Json json(Words words) const {
    words.emplace_back("--json");
    const ProgramResult result = run_program(words, folder_ / ".");
    EXPECT_EQ(result.code, 0) << words[0] << ": " << result.err;
    return Json::parse(result.out, nullptr, false);
  }
  Json explain() const {
    return json({"explain", "scale.toml", "--types", "T=float", "--dims", "n=1024", "width=4", "--device",
                 "recorded:tuning.db"});
  }
  // Fields that explain says differ, as "field: then -> now".
  std::vector<std::string> differences() const {
    std::vector<std::string> fields;
    const Json explained = explain();
    for (const Json& each : explained["differences"]) fields.push_back(each["field"]);
    return fields;
  }

  TemporaryFolder folder_;
};

TEST_F(Stale, WhatFitsIsUsedAndDiffersInNothing) {
  const Json explained = explain();
  EXPECT_EQ(explained["match"], "tuned");
  EXPECT_TRUE(explained["differences"].empty());
}

TEST_F(Stale, H05AHeaderEditedUnderItsOldTimeStampIsNamed) {
  const auto stamp = std::filesystem::last_write_time(folder_ / "near.cuh");
  std::ofstream(folder_ / "near.cuh") << "int far_away();\n";
  std::filesystem::last_write_time(folder_ / "near.cuh", stamp);
  EXPECT_EQ(explain()["match"], "default");
  EXPECT_EQ(differences(), std::vector<std::string>{"template: near.cuh"});
  // Found on the search path, show names it too, and prune removes it.
  ::setenv("WARPTUNE_TEMPLATE_PATH", (folder_ / ".").c_str(), 1);
  const Json shown = json({"show"});
  EXPECT_EQ(shown["winners"][0]["state"], "template changed: near.cuh");
  EXPECT_EQ(json({"show", "--only", "stale"})["winners"].size(), 1u);
  EXPECT_EQ(json({"prune", "--stale", "--dry-run"})["runs"][0]["because"], "template changed: near.cuh");
  EXPECT_EQ(json({"prune", "--stale"})["runs_removed"], 1);
  EXPECT_TRUE(json({"show"})["winners"].empty());
  ::unsetenv("WARPTUNE_TEMPLATE_PATH");
}

TEST_F(Stale, H05ATouchedHeaderInvalidatesNothing) {
  std::filesystem::last_write_time(folder_ / "near.cuh",
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(2));
  EXPECT_EQ(explain()["match"], "tuned");
}

TEST_F(Stale, H05APartOfTheManifestIsNamed) {
  std::ofstream(folder_ / "scale.toml")
      << spec::test::changed("grid = [\"blocks\"]", "grid = [\"blocks + 1\"]");
  EXPECT_EQ(explain()["match"], "default");
  EXPECT_EQ(differences(), std::vector<std::string>{"template: manifest: step"});
}

TEST_F(Stale, H06AnotherGpuInOneThingEachNeverMatches) {
  std::filesystem::copy_file(folder_ / "tuning.db", folder_ / "here.db");
  const std::map<std::string, void (*)(db::DeviceKey&)> twins = {
      {"GPU model", [](db::DeviceKey& device) { device.model = "NVIDIA H200 NVL"; }},
      {"compute capability", [](db::DeviceKey& device) { device.compute_capability = 100; }},
      {"usable SMs", [](db::DeviceKey& device) { device.sm_count = 114; }},
      {"L2 bytes", [](db::DeviceKey& device) { device.l2_bytes += 1; }},
      {"memory GiB", [](db::DeviceKey& device) { device.memory_gib = 80; }},
  };
  for (const auto& [field, change] : twins) {
    std::filesystem::remove(folder_ / "tuning.db");
    store([&](db::ProblemKey& key, db::RunInfo&, db::WinnerRecord&) { change(key.device); });
    const Json explained = json({"explain", "scale.toml", "--types", "T=float", "--dims", "n=1024", "width=4",
                                 "--device", "recorded:here.db"});
    EXPECT_EQ(explained["match"], "default") << field;
    ASSERT_EQ(explained["differences"].size(), 1u) << field;
    EXPECT_EQ(explained["differences"][0]["field"], field);
  }
}

TEST_F(Stale, H04AWinnerThatCannotRunHereIsReportedAndNotPicked) {
  std::filesystem::remove(folder_ / "tuning.db");
  store([](db::ProblemKey&, db::RunInfo&, db::WinnerRecord& winner) {
    winner.config["THREADS"] = std::int64_t{77};
  });
  store([](db::ProblemKey& key, db::RunInfo&, db::WinnerRecord& winner) {
    key.free_dims["n"] = 2048;
    winner.config["UNKNOWN"] = std::int64_t{1};
  });
  const Json explained = explain();
  EXPECT_EQ(explained["match"], "default");
  ASSERT_TRUE(explained.contains("notes"));
  EXPECT_GE(explained["notes"].size(), 2u) << explained["notes"];
}

}  // namespace
}  // namespace warptune::test
