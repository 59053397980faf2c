// Replaying a database through the evaluator seam.
#include <gtest/gtest.h>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/tuner/tune.hpp>

#include "tests/tuner/support/fake_evaluator.hpp"
#include "tests/tuner/support/mini_template.hpp"
#include "tests/tuner/support/temporary_folder.hpp"
#include "tuner/evaluate/recorded_evaluator.hpp"

namespace warptune::tuner {
namespace {

using test::FakeEvaluator;
using test::mini_config;

class Recorded : public testing::Test {
 protected:
  // Nine trials of twelve, one of them a failure.
  Recorded()
      : original_(spec::Instance(spec_, test::mini_problem("__half"), test::h200()),
                  [](const spec::Config& config) {
                    FakeEvaluator::Script script;
                    script.time_ns = 1000 + static_cast<double>(config.values[0].as_integer()) /
                                                static_cast<double>(config.values[1].as_integer());
                    if (config == mini_config(32, 1))
                      script = {0, OutcomeStatus::wrong_result, "element 3 differs", {}};
                    return script;
                  }) {
    db::Store store = db::Store::open(file_, db::OpenMode::create);
    TuneOptions options;
    options.budget.trials = 9;
    recorded_ = tune(original_, &store, options);
  }

  std::unique_ptr<Evaluator> open(const spec::Problem& problem, const std::string& policy = "cold") {
    return open_recorded_evaluator(file_, spec_, problem, policy);
  }
  static std::string refusal(const std::function<void()>& call, ErrorKind kind) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.full_text();
      return error.full_text();
    }
    ADD_FAILURE() << "accepted";
    return {};
  }

  test::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "recording.db";
  spec::TemplatePtr spec_ = test::mini_template();
  FakeEvaluator original_;
  TuneResult recorded_;
};

TEST_F(Recorded, GivesBackOutcomesBlocksAndDevice) {
  const auto replay = open(test::mini_problem("__half"));
  EXPECT_EQ(replay->origin(), db::Origin::replayed);
  EXPECT_EQ(replay->toolchain(), original_.toolchain());
  EXPECT_EQ(runtime::problem_key(replay->instance(), "cold"),
            runtime::problem_key(original_.instance(), "cold"));
  EXPECT_EQ(replay->instance().device().max_shared_bytes, 227 * 1024);
  EXPECT_EQ(replay->limit_bytes_per_s(), 4e12);
  const Outcome failed = replay->evaluate(mini_config(32, 1));
  EXPECT_EQ(failed.status, OutcomeStatus::wrong_result);
  EXPECT_EQ(failed.reason, "element 3 differs");
  const Outcome good = replay->evaluate(mini_config(64, 1));
  EXPECT_EQ(good.status, OutcomeStatus::ok);
  EXPECT_GE(good.blocks_ns.size(), 3u);
  EXPECT_NEAR(good.blocks_ns[0], 1064, 10);
}

TEST_F(Recorded, BlocksGoRoundInOrder) {
  const auto replay = open(test::mini_problem("__half"));
  const std::vector<double> blocks = replay->evaluate(mini_config(64, 1)).blocks_ns;
  EXPECT_EQ(replay->independent_blocks(mini_config(64, 1)), static_cast<int>(blocks.size()));
  for (int round = 0; round < 2; ++round)
    for (const double block : blocks) EXPECT_EQ(replay->time_block(mini_config(64, 1)), block);
}

TEST_F(Recorded, WhatWasNotRecordedIsExcludedAndSaysSo) {
  const auto replay = open(test::mini_problem("__half"));
  const TuneResult result = tune(*replay, nullptr, {});
  EXPECT_EQ(result.counts.at(OutcomeStatus::ok), 8);
  EXPECT_EQ(result.counts.at(OutcomeStatus::wrong_result), 1);
  EXPECT_EQ(result.counts.at(OutcomeStatus::excluded), 3);
  EXPECT_NE(result.examples.at(OutcomeStatus::excluded).find("not in the recording"), std::string::npos);
}

TEST_F(Recorded, AReplayFindsTheRecordedWinnerAndIsMarked) {
  const auto replay = open(test::mini_problem("__half"));
  db::Store store = db::Store::open(folder_ / "new.db", db::OpenMode::create);
  const TuneResult result = tune(*replay, &store, {});
  ASSERT_FALSE(result.winners.empty());
  EXPECT_EQ(result.winners.back().config, recorded_.winners.back().config);
  ASSERT_FALSE(store.winners().empty());
  EXPECT_EQ(store.winners().back().origin, db::Origin::replayed);
}

TEST_F(Recorded, AnotherProblemIsRefusedAndWhatThereIsIsNamed) {
  const std::string text = refusal([&] { open(test::mini_problem("__half", 999)); }, ErrorKind::not_found);
  EXPECT_NE(text.find("n=1000"), std::string::npos) << text;
  refusal([&] { open(test::mini_problem("float")); }, ErrorKind::not_found);
  refusal([&] { open(test::mini_problem("__half"), "hot"); }, ErrorKind::not_found);
  spec::Problem more = test::mini_problem("__half");
  more.allowed.approx = true;  // the recording allowed less
  refusal([&] { open(more); }, ErrorKind::not_found);
}

TEST_F(Recorded, AChangedTemplateIsRefused) {
  spec_ = spec::parse_template(spec_->manifest_text, spec_->source + "// changed", "mini.toml");
  const std::string text = refusal([&] { open(test::mini_problem("__half")); }, ErrorKind::bad_input);
  EXPECT_NE(text.find("another version"), std::string::npos) << text;
}

TEST_F(Recorded, AMissingFileIsRefusedAndNotCreated) {
  refusal([&] { open_recorded_evaluator(folder_ / "none.db", spec_, test::mini_problem(), "cold"); },
          ErrorKind::not_found);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.db"));
}

TEST(TraitsOf, UnknownArchitecturesTakeTheNewestBefore) {
  db::DeviceKey key{"NVIDIA New", 91, 100, 1 << 20, 80};
  EXPECT_EQ(traits_of(key).max_threads_per_sm, 2048);
  key.compute_capability = 89;
  EXPECT_EQ(traits_of(key).max_threads_per_sm, 1536);
  EXPECT_EQ(traits_of(key).max_shared_bytes, 99 * 1024);
  EXPECT_EQ(runtime::device_key(traits_of(key)), key);
}

}  // namespace
}  // namespace warptune::tuner
