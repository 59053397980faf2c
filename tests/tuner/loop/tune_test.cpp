// The tuning loop on a scripted evaluator.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <stdexcept>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/runtime/selection.hpp>
#include <warptune/tuner/tune.hpp>

#include "tests/tuner/support/fake_evaluator.hpp"
#include "tests/tuner/support/mini_template.hpp"
#include "tests/tuner/support/temporary_folder.hpp"

namespace warptune::tuner {
namespace {

using test::FakeEvaluator;
using test::mini_config;
using Script = FakeEvaluator::Script;

std::int64_t threads_of(const spec::Config& config) { return config.values[0].as_integer(); }
std::int64_t pack_of(const spec::Config& config) { return config.values[1].as_integer(); }

// Distinct times: 128 threads with the widest load wins, and by far.
Script distinct_times(const spec::Config& config) {
  const double threads = static_cast<double>(threads_of(config));
  return {1000 + 10 * std::abs(threads - 128) + 2000.0 / static_cast<double>(pack_of(config)),
          OutcomeStatus::ok,
          "",
          {}};
}

spec::Instance mini_instance(const std::string& type = "__half", const std::string& more = "") {
  return spec::Instance(test::mini_template(more), test::mini_problem(type), test::h200());
}

std::string config_of(const db::WinnerRecord& winner) {
  std::string text;
  for (const char* name : {"THREADS", "PACK"})
    text += std::string(name) + "=" + std::to_string(std::get<std::int64_t>(winner.config.at(name))) + " ";
  return text;
}

class Tune : public testing::Test {
 protected:
  db::Store open() { return db::Store::open(folder_ / "tuning.db", db::OpenMode::create); }
  test::TemporaryFolder folder_;
};

TEST_F(Tune, FindsTheFastestConfigAndStoresEveryOutcome) {
  FakeEvaluator evaluator(mini_instance(), distinct_times);
  db::Store store = open();
  const TuneResult result = tune(evaluator, &store, {});
  EXPECT_EQ(evaluator.evaluated.size(), 12u);
  EXPECT_EQ(result.counts, (std::map<OutcomeStatus, std::int64_t>{{OutcomeStatus::ok, 12}}));
  EXPECT_EQ(result.end.space_size, 12);
  EXPECT_TRUE(result.end.complete);
  ASSERT_FALSE(result.winners.empty());
  EXPECT_EQ(config_of(result.winners.back()), "THREADS=128 PACK=4 ");
  EXPECT_TRUE(result.winners.back().certified);
  EXPECT_NEAR(result.winners.back().time_ns, 1500, 5);
  // Default: THREADS=64 PACK=1: 1000 + 640 + 2000.
  ASSERT_TRUE(result.winners.back().default_time_ns);
  EXPECT_NEAR(*result.winners.back().default_time_ns, 3640, 15);

  const db::ProblemKey key = runtime::problem_key(evaluator.instance(), "cold");
  EXPECT_EQ(store.outcomes(key).size(), 12u);
  EXPECT_EQ(store.outcome_counts(key), (std::map<std::string, std::int64_t>{{"ok", 12}}));
  const std::vector<db::StoredWinner> stored = store.winners(std::nullopt, "mini");
  ASSERT_EQ(stored.size(), result.winners.size());
  EXPECT_EQ(config_of(stored.back().winner), "THREADS=128 PACK=4 ");
  EXPECT_TRUE(stored.back().winner.complete);
}

TEST_F(Tune, TriesTheDefaultFirst) {
  FakeEvaluator evaluator(mini_instance(), distinct_times);
  TuneOptions options;
  options.strategy = "random";
  options.budget.trials = 3;
  const TuneResult result = tune(evaluator, nullptr, options);
  ASSERT_EQ(evaluator.evaluated.size(), 3u);
  EXPECT_EQ(evaluator.evaluated.front(), mini_config(64, 1));
  EXPECT_EQ(std::count(evaluator.evaluated.begin(), evaluator.evaluated.end(), mini_config(64, 1)), 1);
  EXPECT_FALSE(result.winners.empty());
}

TEST_F(Tune, KeepsAWinnerForEachAlignmentClass) {
  FakeEvaluator evaluator(mini_instance(), distinct_times);
  const TuneResult result = tune(evaluator, nullptr, {});
  // half with PACK 1, 2, 4 has three classes; wider loads are faster, so each class has its own winner.
  ASSERT_EQ(result.winners.size(), evaluator.instance().alignment_classes().size());
  ASSERT_EQ(result.winners.size(), 3u);
  EXPECT_EQ(config_of(result.winners[0]), "THREADS=128 PACK=1 ");
  EXPECT_EQ(config_of(result.winners[1]), "THREADS=128 PACK=2 ");
  EXPECT_EQ(config_of(result.winners[2]), "THREADS=128 PACK=4 ");
  EXPECT_LT(result.winners[0].alignment_bytes, result.winners[1].alignment_bytes);
  EXPECT_EQ(result.winners[2].alignment_bytes, 8);
}

TEST_F(Tune, AWinnerThatNeedsLittleAlignmentServesTheWiderClassesToo) {
  FakeEvaluator evaluator(mini_instance(), [](const spec::Config& config) {
    return Script{1000.0 * static_cast<double>(pack_of(config)) + static_cast<double>(threads_of(config)),
                  OutcomeStatus::ok,
                  "",
                  {}};
  });
  const TuneResult result = tune(evaluator, nullptr, {});
  ASSERT_EQ(result.winners.size(), 3u);
  for (const db::WinnerRecord& winner : result.winners) EXPECT_EQ(config_of(winner), "THREADS=32 PACK=1 ");
}

TEST_F(Tune, AmongEqualsNoSpillsThenFewerRegistersThenFewerThreadsWin) {
  const auto equal = [](spec::Config wins, auto traits_of) {
    FakeEvaluator evaluator(
        mini_instance("float", "\n[[constraint]]\nexpression = \"PACK == 1\"\nwhy = \"test\"\n"),
        [&](const spec::Config& config) {
          return Script{1000, OutcomeStatus::ok, "", traits_of(config)};
        });
    const TuneResult result = tune(evaluator, nullptr, {});
    ASSERT_FALSE(result.winners.empty());
    EXPECT_TRUE(result.winners.back().certified);
    EXPECT_EQ(result.winners.back().tied, 3);
    EXPECT_EQ(std::get<std::int64_t>(result.winners.back().config.at("THREADS")), threads_of(wins));
  };
  const auto traits = [](int registers, int local) { return spec::KernelTraits{registers, local, 0, 1024}; };
  equal(mini_config(256, 1), [&](const spec::Config& c) { return traits(32, threads_of(c) == 256 ? 0 : 8); });
  equal(mini_config(128, 1),
        [&](const spec::Config& c) { return traits(threads_of(c) == 128 ? 24 : 32, 0); });
  equal(mini_config(32, 1), [&](const spec::Config&) { return traits(32, 0); });
}

TEST_F(Tune, TheWinnerIsNeverWorseThanTheDefault) {
  FakeEvaluator evaluator(mini_instance(), distinct_times);
  // Screening misjudged the default; timed side by side with the winner it is the faster one.
  evaluator.race_time = [](const spec::Config& config) {
    return config == mini_config(64, 1) ? 1200.0 : distinct_times(config).time_ns;
  };
  const TuneResult result = tune(evaluator, nullptr, {});
  ASSERT_FALSE(result.winners.empty());
  EXPECT_EQ(config_of(result.winners.back()), "THREADS=64 PACK=1 ");
  EXPECT_FALSE(result.winners.back().certified);
  EXPECT_NEAR(result.winners.back().time_ns, 1200, 5);
  EXPECT_EQ(result.winners.back().time_ns, *result.winners.back().default_time_ns);
}

TEST_F(Tune, H16InterruptedRunsAreStoredAndGoneOnWith) {
  std::atomic<bool> stop{false};
  TuneOptions options;
  options.stop = &stop;
  db::Store store = open();
  FakeEvaluator first(mini_instance(), distinct_times);
  first.on_evaluate = [&](std::size_t evaluated) { stop = evaluated == 5; };
  const TuneResult interrupted = tune(first, &store, options);
  EXPECT_TRUE(interrupted.interrupted);
  EXPECT_FALSE(interrupted.end.complete);
  EXPECT_TRUE(interrupted.winners.empty());
  EXPECT_EQ(first.evaluated.size(), 5u);
  const db::ProblemKey key = runtime::problem_key(first.instance(), "cold");
  EXPECT_EQ(store.outcomes(key).size(), 5u);
  EXPECT_TRUE(store.winners().empty());
  ASSERT_TRUE(store.last_run_end(key));
  EXPECT_FALSE(store.last_run_end(key)->complete);

  stop = false;
  FakeEvaluator second(mini_instance(), distinct_times);
  const TuneResult result = tune(second, &store, options);
  EXPECT_EQ(result.reused, 5);
  EXPECT_EQ(second.evaluated.size(), 7u);
  for (const spec::Config& config : first.evaluated)
    EXPECT_EQ(std::count(second.evaluated.begin(), second.evaluated.end(), config), 0);
  EXPECT_EQ(result.counts.at(OutcomeStatus::ok), 12);
  ASSERT_FALSE(result.winners.empty());
  EXPECT_EQ(config_of(result.winners.back()), "THREADS=128 PACK=4 ");

  FakeEvaluator third(mini_instance(), distinct_times);
  EXPECT_EQ(tune(third, &store, options).reused, 12);
  EXPECT_TRUE(third.evaluated.empty());
  options.resume = false;
  tune(third, &store, options);
  EXPECT_EQ(third.evaluated.size(), 12u);
}

TEST_F(Tune, AnInterruptDuringTheRaceDecidesNothing) {
  std::atomic<bool> stop{false};
  TuneOptions options;
  options.stop = &stop;
  FakeEvaluator evaluator(mini_instance(), distinct_times);
  evaluator.race_time = [&](const spec::Config& config) {
    if (evaluator.blocks_timed == 4) stop = true;
    return distinct_times(config).time_ns;
  };
  db::Store store = open();
  const TuneResult result = tune(evaluator, &store, options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(result.winners.empty());
  EXPECT_TRUE(store.winners().empty());
  EXPECT_EQ(evaluator.blocks_timed, 4u);
}

TEST_F(Tune, H16ATrialBudgetGoesOnToo) {
  std::atomic<bool> stop{false};
  TuneOptions options;
  options.stop = &stop;
  options.strategy = "random";
  options.seed = 11;
  options.budget.trials = 8;
  db::Store store = open();
  FakeEvaluator first(mini_instance(), distinct_times);
  first.on_evaluate = [&](std::size_t evaluated) { stop = evaluated == 3; };
  tune(first, &store, options);
  stop = false;
  FakeEvaluator second(mini_instance(), distinct_times);
  const TuneResult result = tune(second, &store, options);
  EXPECT_EQ(result.reused, 3);
  EXPECT_EQ(second.evaluated.size(), 5u);
}

TEST_F(Tune, OutcomesOfAnotherToolchainOrOriginAreMeasuredAgain) {
  db::Store store = open();
  FakeEvaluator first(mini_instance(), distinct_times);
  tune(first, &store, {});
  FakeEvaluator newer(mini_instance(), distinct_times);
  newer.toolchain_.nvrtc_version = "13.1";
  EXPECT_EQ(tune(newer, &store, {}).reused, 0);
  FakeEvaluator replayed(mini_instance(), distinct_times);
  replayed.toolchain_ = newer.toolchain_;
  replayed.origin_ = db::Origin::replayed;
  EXPECT_EQ(tune(replayed, &store, {}).reused, 0);
}

// Neither of one that ended nor of one that was killed, which is marked all the same.
TEST_F(Tune, OutcomesOverTheCallersOperandsAnswerForNoOthers) {
  db::Store store = open();
  for (const bool killed : {false, true}) {
    FakeEvaluator theirs(mini_instance(), distinct_times);
    theirs.has_callers_operands_ = true;
    theirs.on_evaluate = [killed](std::size_t evaluated) {
      if (killed && evaluated == 5) throw std::runtime_error("killed");
    };
    if (killed) {
      EXPECT_THROW(tune(theirs, &store, {}), std::runtime_error);
    } else {
      EXPECT_TRUE(tune(theirs, &store, {}).end.complete);
    }
  }
  EXPECT_FALSE(store.run(2)->ended_unix_s);
  EXPECT_EQ(store.run(2)->outcomes.size(), 4u);
  for (const std::int64_t run : {1, 2}) EXPECT_TRUE(store.run(run)->is_marked("callers_operands")) << run;
  FakeEvaluator ours(mini_instance(), distinct_times);
  EXPECT_EQ(tune(ours, &store, {}).reused, 0);
  EXPECT_EQ(ours.evaluated.size(), 12u);
  EXPECT_FALSE(store.run(3)->is_marked("callers_operands"));
}

TEST_F(Tune, H13EveryCandidateFailedLeavesTheOlderWinner) {
  db::Store store = open();
  FakeEvaluator good(mini_instance(), distinct_times);
  tune(good, &store, {});
  const std::vector<db::StoredWinner> before = store.winners();
  ASSERT_FALSE(before.empty());

  FakeEvaluator bad(mini_instance(), [](const spec::Config& config) {
    return pack_of(config) == 1 ? Script{0, OutcomeStatus::compile_error, "mini.cu:3: no such thing", {}}
                                : Script{0, OutcomeStatus::wrong_result, "element 7 is 0, expected 1", {}};
  });
  TuneOptions options;
  options.resume = false;
  const TuneResult result = tune(bad, &store, options);
  EXPECT_TRUE(result.winners.empty());
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.counts.at(OutcomeStatus::compile_error), 4);
  EXPECT_EQ(result.counts.at(OutcomeStatus::wrong_result), 8);
  EXPECT_EQ(result.examples.at(OutcomeStatus::compile_error),
            "THREADS=64 PACK=1 MODE=plain: mini.cu:3: no such thing");
  EXPECT_NE(result.examples.at(OutcomeStatus::wrong_result).find("element 7"), std::string::npos);
  EXPECT_NE(result.verdict.find("every candidate failed"), std::string::npos) << result.verdict;
  const std::vector<db::StoredWinner> after = store.winners();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].winner.config, before[i].winner.config);
    EXPECT_EQ(after[i].run, before[i].run);
  }
}

// A manifest's lists and constraints may change without its hash, and a row may come from anywhere: the runtime refuses such a
// config, so it must not keep a newer winner from being the current one.
TEST_F(Tune, ACertifiedWinnerThatTheTemplateHasNoMoreGivesWay) {
  const spec::Instance instance = mini_instance("float");
  const db::ProblemKey key = runtime::problem_key(instance, "cold");
  const auto stored = [&](std::int64_t threads, std::int64_t pack) {
    return runtime::stored_config(instance.spec(), mini_config(threads, pack));
  };
  db::NamedValues unknown = stored(32, 1), unlisted = stored(32, 1);
  unknown["CHUNK"] = std::int64_t{4};
  unlisted["THREADS"] = std::int64_t{512};
  const std::string best = "THREADS=128 PACK=2 MODE=plain", standard = "THREADS=64 PACK=1 MODE=plain";
  const struct {
    const char* what;
    db::NamedValues config;
    std::string before, after;  // what the runtime selects
  } cases[] = {{"an unknown tunable", unknown, standard, best},
               {"a value that is not listed", unlisted, standard, best},
               {"a constraint against it", stored(32, 4), standard, best},
               {"it may run", stored(32, 1), "THREADS=32 PACK=1 MODE=plain", "THREADS=32 PACK=1 MODE=plain"}};
  for (const auto& each : cases) {
    SCOPED_TRACE(each.what);
    std::filesystem::remove(folder_ / "tuning.db");
    db::Store store = open();
    const auto selected = [&] {
      return runtime::Selector(instance, {}, store.winners())
          .rank({{"n", 1000}}, 16, {})
          .candidates[0]
          .selection.config;
    };
    std::vector<db::WinnerRecord> older;
    for (const std::int64_t alignment : instance.alignment_classes()) {
      db::WinnerRecord winner;
      winner.alignment_bytes = static_cast<int>(alignment);
      winner.config = each.config;
      winner.default_config = stored(64, 1);
      winner.time_ns = 1;
      winner.certified = winner.complete = true;
      winner.certified_by = "race";
      older.push_back(winner);
    }
    store.end_run(store.begin_run(key, {}), {}, older);
    EXPECT_EQ(selected(), each.before);
    FakeEvaluator evaluator(instance, distinct_times);
    TuneOptions options;
    options.shared_gpu = true;  // nothing is certified
    EXPECT_FALSE(tune(evaluator, &store, options).winners.back().certified);
    EXPECT_EQ(selected(), each.after);
    EXPECT_EQ(store.winners().back().run, each.before == each.after ? 1 : 2);
  }
}

TEST_F(Tune, FailuresDoNotKeepTheRestFromBeingDecided) {
  FakeEvaluator evaluator(mini_instance(), [](const spec::Config& config) {
    if (threads_of(config) == 128) return Script{0, OutcomeStatus::crashed, "illegal address", {}};
    return distinct_times(config);
  });
  const TuneResult result = tune(evaluator, nullptr, {});
  EXPECT_EQ(result.counts.at(OutcomeStatus::crashed), 3);
  ASSERT_FALSE(result.winners.empty());
  EXPECT_EQ(config_of(result.winners.back()), "THREADS=64 PACK=4 ");
}

TEST_F(Tune, WithoutAWorkingDefaultThereIsNoGain) {
  FakeEvaluator evaluator(mini_instance(), [](const spec::Config& config) {
    if (config == mini_config(64, 1)) return Script{0, OutcomeStatus::launch_error, "planted", {}};
    return distinct_times(config);
  });
  const TuneResult result = tune(evaluator, nullptr, {});
  ASSERT_FALSE(result.winners.empty());
  EXPECT_FALSE(result.winners.back().default_time_ns);
  EXPECT_NE(result.verdict.find("default config failed"), std::string::npos) << result.verdict;
}

TEST_F(Tune, AnEmptySpaceIsRefusedBeforeAnythingIsStored) {
  FakeEvaluator evaluator(
      mini_instance("float", "\n[[constraint]]\nexpression = \"n < 0\"\nwhy = \"nothing fits\"\n"),
      distinct_times);
  db::Store store = open();
  try {
    tune(evaluator, &store, {});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    // Of 24 points 12 are approx, 4 more load over 8 bytes; the last constraint gets what is left.
    EXPECT_NE(error.full_text().find("nothing fits"), std::string::npos) << error.full_text();
    EXPECT_NE(error.full_text().find("by `n < 0`"), std::string::npos) << error.full_text();
  }
  EXPECT_TRUE(store.problems().empty());
}

TEST_F(Tune, ADefaultOutsideTheSpaceIsRecordedAsExcluded) {
  FakeEvaluator evaluator(
      mini_instance("float",
                    "\n[[constraint]]\nexpression = \"n != 1000 || THREADS >= 128\"\nwhy = \"too narrow\"\n"),
      distinct_times);
  const TuneResult result = tune(evaluator, nullptr, {});
  EXPECT_EQ(result.counts.at(OutcomeStatus::excluded), 1);
  EXPECT_EQ(evaluator.evaluated.size(), 4u);
  EXPECT_EQ(std::count(evaluator.evaluated.begin(), evaluator.evaluated.end(), mini_config(64, 1)), 0);
}

TEST_F(Tune, AReplayIsNotCertifiedBeyondItsBlocks) {
  FakeEvaluator evaluator(mini_instance(), distinct_times);
  evaluator.origin_ = db::Origin::replayed;
  evaluator.independent_blocks_ = 3;  // the race's first look needs 8
  const TuneResult result = tune(evaluator, nullptr, {});
  ASSERT_FALSE(result.winners.empty());
  EXPECT_FALSE(result.winners.back().certified);
  EXPECT_FALSE(result.winners.back().interval_low_ns);
  EXPECT_EQ(config_of(result.winners.back()), "THREADS=128 PACK=4 ");
  EXPECT_NE(result.verdict.find("not certified"), std::string::npos) << result.verdict;
  EXPECT_NE(result.verdict.find("replayed"), std::string::npos) << result.verdict;
}

TEST_F(Tune, TheRaceAddsItsBlocksToTheStoredOutcomes) {
  FakeEvaluator evaluator(mini_instance(), distinct_times);
  db::Store store = open();
  tune(evaluator, &store, {});
  std::size_t most = 0;
  for (const db::StoredOutcome& stored : store.outcomes(runtime::problem_key(evaluator.instance(), "cold")))
    most = std::max(most, stored.outcome.blocks_ns.size());
  EXPECT_GE(most, 3u + 8u);  // three when screened, and at least up to the race's first look
}

TEST_F(Tune, ListenersHearEveryOutcomeOnce) {
  FakeEvaluator evaluator(mini_instance(), distinct_times);
  std::vector<std::int64_t> done;
  bool raced = false, ended = false;
  tune(evaluator, nullptr, {}, [&](const TuneProgress& progress) {
    if (progress.outcome != nullptr) done.push_back(progress.done);
    raced = raced || progress.stage == TuneProgress::Stage::race;
    ended = progress.stage == TuneProgress::Stage::done;
  });
  std::vector<std::int64_t> expected(12);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<std::int64_t>(i) + 1;
  EXPECT_EQ(done, expected);
  EXPECT_TRUE(raced);
  EXPECT_TRUE(ended);
}

TEST_F(Tune, TheVerdictStatesWinnerGainRateAndWhatIsUnknown) {
  // All within the 1.2x that screening keeps; the best is 128 threads with PACK 4 at 1500 ns, the default
  // takes 1864 ns.
  FakeEvaluator evaluator(mini_instance(), [](const spec::Config& config) {
    return Script{1400 + static_cast<double>(std::abs(threads_of(config) - 128)) +
                      400.0 / static_cast<double>(pack_of(config)),
                  OutcomeStatus::ok,
                  "",
                  {}};
  });
  const std::string verdict = tune(evaluator, nullptr, {}).verdict;
  // 2 * 1000 elements * 2 bytes in 1.5 us, blocks within 0.3 % of it: 2.66 to 2.67 GB/s of a ceiling of 4 TB/s.
  for (const char* part :
       {"mini T=f16 n=1000 on NVIDIA H200 (cold)", "MODE=plain PACK=4 THREADS=128 takes 1.50 us",
        "95 % interval", "certified within 1 %", "a gain of 1.24x", "4.00 TB/s", "12 configs tried of 12",
        "0.5 s of GPU time", "Not measured: neighbouring problems"})
    EXPECT_NE(verdict.find(part), std::string::npos) << part << " in: " << verdict;
  EXPECT_TRUE(verdict.find("It moves 2.66 GB/s") != std::string::npos ||
              verdict.find("It moves 2.67 GB/s") != std::string::npos)
      << verdict;
}

}  // namespace
}  // namespace warptune::tuner
