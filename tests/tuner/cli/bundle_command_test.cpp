// `warptune bundle`: the real program, from recordings to a file that the library opens.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <set>
#include <thread>

#include <nlohmann/json.hpp>

#include <warptune/base/error.hpp>
#include <warptune/base/hash.hpp>
#include <warptune/db/bundle.hpp>
#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/tune.hpp>

#include "tests/tuner/cli/program.hpp"
#include "tests/tuner/support/fake_evaluator.hpp"
#include "tests/tuner/support/mini_template.hpp"

namespace warptune::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class BundleCommand : public testing::Test {
 protected:
  void SetUp() override {
    try {
      runtime::open_nvrtc();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    make_recording(folder_ / "a.db");  // dot T=half at n = 2^20 and 2^22; 128 threads with PACK 8 win at both
  }
  ProgramResult run(const Words& words) const { return run_program(words, folder_ / "."); }
  Json bundle(Words words) const {
    words.insert(words.begin(), {"bundle", "--json"});
    const ProgramResult result = run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return Json::parse(result.out, nullptr, false);
  }
  db::BundleReader open(const std::string& name) const {
    return db::BundleReader(db::Store::open(folder_ / name, db::OpenMode::read_only));
  }

  TemporaryFolder folder_;
};

TEST_F(BundleCommand, HoldsWinnersCoverAndDefaultsWithTheirCode) {
  const Json document = bundle({"-o", "app.wtb", "a.db", "--arch", "sm_80", "--tuned-types"});
  ASSERT_EQ(document["groups"].size(), 1u);
  const Json& group = document["groups"][0];
  EXPECT_EQ(group["kernel"], "dot");
  EXPECT_EQ(group["device"], "NVIDIA H200");
  EXPECT_EQ(group["cover_smallest"], true);
  EXPECT_LE(group["cover_worst_loss"], 0.02);
  EXPECT_EQ(group["cover_configs"], document["covers"].size());
  std::map<std::string, std::int64_t> kernels;
  for (const Json& row : document["binaries"]) kernels[row["architecture"]] = row["kernels"];
  EXPECT_GT(kernels["sm_90"], kernels["sm_80"]) << "winners are for their own GPU";
  EXPECT_EQ(kernels["sm_80"], kernels["compute_75"]) << "defaults alone";

  const db::BundleReader reader = open("app.wtb");
  const auto bundled = reader.find_template("dot");
  ASSERT_TRUE(bundled);
  EXPECT_EQ(bundled->template_hash, spec::find_template("dot")->hash);
  const auto winners = reader.store().winners();
  EXPECT_EQ(static_cast<std::int64_t>(winners.size()), group["winners"]);
  const auto any = [&](const std::string& architecture) {
    return reader.find_kernel({bundled->template_hash, "dot_finish<256>", architecture, ""});
  };
  for (const char* architecture : {"sm_80", "sm_90", ""}) ASSERT_TRUE(any(architecture)) << architecture;
  const auto text = [](const db::BundledKernel& each) {
    return std::string(reinterpret_cast<const char*>(each.image.data()), each.image.size());
  };
  EXPECT_EQ(text(*any("sm_90")).substr(0, 4), "\177ELF");
  EXPECT_EQ(any("sm_90")->image_hash, hash_hex(text(*any("sm_90"))));
  EXPECT_GT(any("sm_90")->registers, 0);
  const std::string ptx = text(*any(""));
  EXPECT_NE(ptx.find(".target sm_75"), std::string::npos);
  EXPECT_EQ(ptx.back(), '\0');
  // One kernel to an image.
  std::size_t entries = 0;
  for (std::size_t at = ptx.find(".entry"); at != std::string::npos; at = ptx.find(".entry", at + 1))
    ++entries;
  EXPECT_EQ(entries, 1u);
}

// What the runtime will ask for, of every winner, also where macros hold the config.
TEST_F(BundleCommand, HasUnderTheRuntimesKeysWhatTheRuntimeAsksFor) {
  std::string manifest = mini_template()->manifest_text;
  const auto replace = [&](const std::string& what, const std::string& by) {
    const std::size_t at = manifest.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    manifest.replace(at, what.size(), by);
  };
  replace("source = \"mini.cu\"", "source = \"mini.cu\"\ndefines = true");
  replace("mini<{T}, {THREADS}, {PACK}>", "mini");
  std::ofstream(folder_ / "mini.toml") << manifest;
  std::ofstream(folder_ / "mini.cu")
      << "extern \"C\" __global__ void mini(const T* x, T* y, long long n) {\n"
         "  const long long i = blockIdx.x * (long long)THREADS + threadIdx.x;\n"
         "  for (int k = 0; k < PACK; ++k)\n"
         "    if (i * PACK + k < n) y[i * PACK + k] = x[i * PACK + k];\n}\n";
  const spec::TemplatePtr mini = spec::load_template(folder_ / "mini.toml");
  {
    FakeEvaluator evaluator(
        spec::Instance(mini, mini_problem("float", 4096), h200()), [](const spec::Config& config) {
          FakeEvaluator::Script script;
          script.time_ns = 1000 + std::abs(static_cast<double>(config.values[0].as_integer()) - 256);
          return script;
        });
    db::Store store = db::Store::open(folder_ / "a.db", db::OpenMode::read_write);
    tuner::TuneOptions tune;
    tune.strategy = "exhaustive";
    tuner::tune(evaluator, &store, tune);
  }
  // Without its manifest the kernel is left out; with it all is there, for both types.
  EXPECT_NE(bundle({"-o", "dot.wtb", "a.db", "--tuned-types"})["notes"].dump().find("--kernel"),
            std::string::npos);
  bundle({"-o", "app.wtb", "a.db", "--kernel", "dot", "--kernel", "mini.toml"});
  const db::BundleReader reader = open("app.wtb");
  std::set<std::string> kernels;
  const auto expect_code = [&](const spec::Instance& instance, const spec::Config& config,
                               const std::string& architecture) {
    for (const std::string& entry : instance.entries(config))
      EXPECT_TRUE(reader.find_kernel({instance.spec().hash, entry, architecture, instance.prelude(config)}))
          << entry << " " << architecture;
  };
  for (const db::StoredWinner& winner : reader.store().winners()) {
    const std::string& name = winner.problem.kernel;
    kernels.insert(name);
    const spec::TemplatePtr spec = name == "mini" ? mini : spec::find_template(name);
    const spec::Instance instance = runtime::instance_of(winner.problem, spec, h200());
    expect_code(instance, runtime::read_config(*spec, winner.winner.config), "sm_90");
    expect_code(instance, spec->default_config, "sm_90");
    expect_code(instance, spec->default_config, "");
  }
  EXPECT_EQ(kernels, (std::set<std::string>{"dot", "mini"}));
  const spec::Instance instance(mini, mini_problem("__half", 1), h200());  // not tuned
  expect_code(instance, mini->default_config, "sm_90");
  expect_code(instance, mini->default_config, "");
}

// The winners' configs at both sizes are one here, so that it covers both without loss.
TEST_F(BundleCommand, TheCoverIsWhatTheMeasurementsSay) {
  const Json document = bundle({"-o", "app.wtb", "a.db", "--tuned-types"});
  const db::BundleReader reader = open("app.wtb");
  const auto winners = reader.store().winners();
  const std::vector<db::CoverRow> cover = reader.cover("dot", winners.front().problem.device);
  ASSERT_EQ(cover.size(), winners.size());
  const db::Store source = db::Store::open(folder_ / "a.db", db::OpenMode::read_only);
  for (std::size_t i = 0; i < cover.size(); ++i) {
    SCOPED_TRACE(i);
    // Worked out anew from the recording: time of the config / time of the winner, of the newest measurements.
    std::map<db::NamedValues, double> times;
    for (const db::StoredOutcome& each : source.outcomes(cover[i].problem))
      if (each.outcome.time_ns) times[each.outcome.config] = *each.outcome.time_ns;
    const auto winner = std::find_if(winners.begin(), winners.end(), [&](const db::StoredWinner& each) {
      return each.problem == cover[i].problem && each.winner.alignment_bytes == cover[i].alignment_bytes;
    });
    ASSERT_NE(winner, winners.end());
    const double ratio = times.at(cover[i].config) / times.at(winner->winner.config);
    EXPECT_NEAR(cover[i].loss, std::max(0.0, ratio - 1), 1e-9);
    EXPECT_LE(cover[i].loss, 0.02);
  }
}

TEST_F(BundleCommand, TablesFitAndSayHowToOpenIt) {
  const ProgramResult result = run({"bundle", "-o", "app.wtb", "--db", "a.db", "--tuned-types"});
  ASSERT_EQ(result.code, 0) << result.err;
  for (const std::string& line : lines(result.out)) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_NE(result.out.find("warptune::runtime::Runtime::open(\"app.wtb\");"), std::string::npos)
      << result.out;
  // What reads databases reads bundles.
  EXPECT_EQ(run({"show", "--db", "app.wtb"}).code, 0);
  EXPECT_EQ(run({"prune", "--db", "app.wtb"}).code, 2);
}

TEST_F(BundleCommand, ExplainSaysWhereTheCoverServes) {
  {
    db::Store source = db::Store::open(folder_ / "b.db", db::OpenMode::create);
    const db::Store recording = db::Store::open(folder_ / "a.db", db::OpenMode::read_only);
    recording.visit_runs({}, db::RunParts::all, [&](db::StoredRun run) {
      std::int64_t& n = run.problem.free_dims["n"];
      if (n == 1 << 20) n = 1 << 10;
      run.info.uid += "-b";
      source.add_run(run);
    });
  }
  bundle({"-o", "app.wtb", "b.db", "--tuned-types"});
  const auto explain = [&](const std::string& n, const std::string& file) {
    const ProgramResult result = run({"explain", "dot", "--types", "T=half", "--dims", "n=" + n, "--db", file,
                                      "--device", "recorded:b.db", "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return Json::parse(result.out, nullptr, false);
  };
  EXPECT_EQ(explain("2^22", "app.wtb")["match"], "tuned");
  const Json between = explain("2^16", "app.wtb");
  EXPECT_EQ(between["match"], "nearest");
  EXPECT_NE(between["reason"].get<std::string>().find("cover"), std::string::npos) << between;
  EXPECT_EQ(explain("2^16", "b.db")["match"], "default") << "a database has no cover";
  EXPECT_EQ(explain("2^30", "app.wtb")["match"], "default");
}

TEST_F(BundleCommand, AnInterruptedOneWritesNothing) {
  const int process = start_program({"bundle", "-o", "app.wtb", "a.db"}, folder_ / ".");
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  kill(process, SIGINT);
  EXPECT_EQ(wait_for(process), 130) << content(folder_ / "err");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "app.wtb"));
}

TEST_F(BundleCommand, LeavesOutWhatTheRuntimeWouldNotUse) {
  db::Store source = db::Store::open(folder_ / "b.db", db::OpenMode::create);
  db::Store::open(folder_ / "a.db", db::OpenMode::read_only)
      .visit_runs({}, db::RunParts::all, [&](db::StoredRun run) {
        if (run.problem.free_dims["n"] == 1 << 20) run.problem.template_hash = "another";
        run.info.uid += "-b";
        source.add_run(run);
      });
  const Json document = bundle({"-o", "app.wtb", "b.db", "--tuned-types"});
  EXPECT_NE(document["notes"].dump().find("template changed"), std::string::npos) << document["notes"];
  for (const db::StoredWinner& winner : open("app.wtb").store().winners())
    EXPECT_EQ(winner.problem.free_dims.at("n"), 1 << 22);
}

TEST_F(BundleCommand, BadInputIsOneLineAndWritesNothing) {
  const std::string recording = content(folder_ / "a.db");
  const struct {
    Words words;
    int code;
    const char* says;
  } cases[] = {
      {{"bundle", "a.db"}, 2, "-o app.wtb"},
      {{"bundle", "-o", "app.wtb"}, 1, "tuning.db"},
      {{"bundle", "-o", "app.wtb", "none.db"}, 1, "none.db"},
      {{"bundle", "-o", "app.wtb", "a.db", "--arch", "90"}, 2, "sm_90"},
      {{"bundle", "-o", "app.wtb", "a.db", "--arch", "sm_20"}, 1, "sm_20"},
      {{"bundle", "-o", "app.wtb", "a.db", "--kernel", "dott"}, 1, "'dot'"},
      {{"bundle", "-o", "app.wtb", "a.db", "--kernel", "embedding"}, 1, "no winners"},
      {{"bundle", "-o", "a.db", "a.db"}, 1, "no bundle"},
      {{"bundle", "-o", ".", "a.db"}, 1, "folder"},
  };
  for (const auto& each : cases) {
    const ProgramResult result = run(each.words);
    EXPECT_EQ(result.code, each.code) << each.says << ": " << result.err;
    EXPECT_EQ(result.out, "");
    ASSERT_EQ(lines(result.err).size(), 1u) << result.err;
    EXPECT_NE(result.err.find(each.says), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "app.wtb")) << each.says;
  }
  EXPECT_EQ(content(folder_ / "a.db"), recording);
}

}  // namespace
}  // namespace warptune::test
