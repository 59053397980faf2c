// Runs that something disturbed: their rounds are repeated, what stays disturbed is not certified, and both are stored and said.
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/runtime/problem_key.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/tune.hpp>

#include "tests/tuner/support/fake_evaluator.hpp"
#include "tests/tuner/support/mini_template.hpp"
#include "tests/tuner/support/temporary_folder.hpp"
#include "tuner/loop/verdict.hpp"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;
using testing::Not;

class Disturbed : public testing::Test {
 protected:
  // `disturbed`: whether the round with that number, from 1, meets another process.
  TuneResult tune_with(const std::function<bool(int round)>& disturbed) {
    evaluator_.conditions_of_round = [this, disturbed] {
      Conditions seen;
      seen.clock = Conditions::Clock{1965, 1980, 1980};
      seen.temperature_c = 40;
      seen.longest_stall_ns = disturbed(++asked_) ? 2e6 : 300;
      return seen;
    };
    return tune(evaluator_, &store_, {});
  }
  std::map<std::string, double> stored_clocks() const {
    return store_.last_run_end(runtime::problem_key(evaluator_.instance(), "cold"))->clocks;
  }

  test::FakeEvaluator evaluator_{
      spec::Instance(test::mini_template(), test::mini_problem("__half"), test::h200()),
      [](const spec::Config& config) {
        test::FakeEvaluator::Script script;
        script.time_ns = 1000 + 100.0 * static_cast<double>(config.values[0].as_integer()) / 32;
        return script;
      }};
  test::TemporaryFolder folder_;
  db::Store store_ = db::Store::open(folder_ / "tuning.db", db::OpenMode::create);
  int asked_ = 0;
};

TEST_F(Disturbed, QuietRunStoresWhatTheCardWentThrough) {
  const TuneResult result = tune_with([](int) { return false; });
  ASSERT_FALSE(result.winners.empty());
  EXPECT_TRUE(result.winners.back().certified);
  const std::map<std::string, double> clocks = stored_clocks();
  EXPECT_EQ(clocks.at("sm_mhz_median"), 1980);
  EXPECT_EQ(clocks.at("sm_mhz_lowest"), 1965);
  EXPECT_EQ(clocks.at("temperature_c_highest"), 40);
  EXPECT_GE(clocks.at("rounds"), 8);
  EXPECT_FALSE(clocks.contains("disturbed_rounds"));
  EXPECT_THAT(result.verdict, Not(HasSubstr("another process")));
}

TEST_F(Disturbed, AFewDisturbedRoundsAreRunAgain) {
  const TuneResult result = tune_with([](int round) { return round == 4 || round == 6; });
  EXPECT_TRUE(result.winners.back().certified);
  EXPECT_EQ(stored_clocks().at("contended_rounds"), 2);
  EXPECT_EQ(stored_clocks().at("repeated_rounds"), 2);
  EXPECT_FALSE(stored_clocks().contains("disturbed_rounds"));
  EXPECT_THAT(result.verdict,
              HasSubstr("another process computed on the GPU in 2 rounds, which were run again"));
}

TEST_F(Disturbed, WhatStaysDisturbedIsStoredUncertified) {
  const TuneResult result = tune_with([](int) { return true; });
  ASSERT_FALSE(result.winners.empty());
  for (const db::WinnerRecord& winner : result.winners) {
    EXPECT_FALSE(winner.certified);
    EXPECT_FALSE(winner.interval_low_ns);
    EXPECT_EQ(winner.certified_by, "");
  }
  for (const db::StoredWinner& stored : store_.winners()) EXPECT_FALSE(stored.winner.certified);
  EXPECT_GE(stored_clocks().at("disturbed_rounds"), 8);
  EXPECT_THAT(result.verdict, HasSubstr("so the race is not certified"));
}

// The last comparison happens over operands that lie elsewhere.
TEST_F(Disturbed, ConfirmationRenewsTheOperands) {
  tune_with([](int) { return false; });
  EXPECT_GE(evaluator_.renewals, 1);
}

// Whose values were timed, and whether they were constants.
class Operands : public testing::Test {
 protected:
  using Values = std::vector<std::uint16_t>;  // of type __half

  static spec::TemplatePtr zeros() {
    spec::TemplateTexts texts = spec::texts_of(*test::mini_template());
    const std::string before = "fill = \"normal\"";
    texts.manifest_text.replace(texts.manifest_text.find(before), before.size(), "fill = \"zero\"");
    return spec::restore_template(texts);
  }
  static spec::Instance instance(spec::TemplatePtr spec) {
    return spec::Instance(std::move(spec), test::mini_problem("__half"), test::h200());
  }
  static HostOperands brought(const Values& x) { return {{"x", std::as_bytes(std::span(x))}}; }
  static TuneResult tuned(const spec::TemplatePtr& spec, const HostOperands& operands, bool gone = false) {
    test::FakeEvaluator evaluator(instance(spec),
                                  [](const spec::Config&) { return test::FakeEvaluator::Script(); });
    evaluator.callers_operands_ = operands;
    evaluator.has_callers_operands_ = gone;
    return tune(evaluator, nullptr, {});
  }
};

// Cards run faster on zeros: who tunes on them is told, and the record says so.
TEST_F(Operands, ThatAreConstantAreSaidAndStored) {
  EXPECT_FALSE(has_constant_operands(instance(test::mini_template())));
  EXPECT_TRUE(has_constant_operands(instance(zeros())));
  const TuneResult result = tuned(zeros(), {});
  EXPECT_EQ(result.end.clocks.at("constant_operands"), 1);
  EXPECT_FALSE(result.end.clocks.contains("callers_operands"));
  EXPECT_THAT(result.verdict, HasSubstr("an operand held one value throughout"));
  EXPECT_THAT(result.verdict, Not(HasSubstr("the caller brought")));
}

TEST_F(Operands, OfTheCallerAreSaidAndStored) {
  const Values various{7, 7, 7, 8};
  const TuneResult result = tuned(zeros(), brought(various));
  EXPECT_EQ(result.end.clocks.at("callers_operands"), 1);
  EXPECT_FALSE(result.end.clocks.contains("constant_operands")) << "the manifest's zeros were not timed";
  EXPECT_THAT(result.verdict, HasSubstr("; it was decided over the operands that the caller brought"));
  EXPECT_THAT(result.verdict, Not(HasSubstr("one value throughout")));
}

TEST_F(Operands, OfTheCallerMayBeConstantToo) {
  const Values sevens(1000, 0x0807);
  const TuneResult result = tuned(test::mini_template(), brought(sevens));
  EXPECT_EQ(result.end.clocks.at("callers_operands"), 1);
  EXPECT_EQ(result.end.clocks.at("constant_operands"), 1);
  EXPECT_THAT(result.verdict, HasSubstr("that the caller brought; an operand held one value throughout"));
  const spec::Instance mini = instance(test::mini_template());
  EXPECT_FALSE(has_constant_operands(mini, brought({7}))) << "one element is what it is";
  EXPECT_FALSE(has_constant_operands(mini, brought({})));
  EXPECT_FALSE(has_constant_operands(mini, brought({0x0100, 0x0001}))) << "elements, not bytes";
}

TEST_F(Operands, OfTheCallerThatAreGoneMayBeAnything) {
  const TuneResult result = tuned(zeros(), {}, true);
  EXPECT_EQ(result.end.clocks.at("callers_operands"), 1);
  EXPECT_FALSE(result.end.clocks.contains("constant_operands"));
}

}  // namespace
}  // namespace warptune::tuner
