// Operands that the caller brought: candidates are verified and timed over copies of them.
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/base/error.hpp>
#include <warptune/tuner/device_evaluator.hpp>

#include "tests/support/stub_compiler.hpp"
#include "tests/support/stub_device.hpp"
#include "tests/tuner/support/host_helper_kernels.hpp"
#include "tests/tuner/support/planted_template.hpp"

namespace warptune::tuner {
namespace {

using test::planted_config;
using ::testing::HasSubstr;
using testing::StubLaunch;

constexpr float rare = 12345;  // none of the fills gives it

class CallersOperands : public ::testing::Test {
 protected:
  void SetUp() override {
    test::define_helper_kernels(*device_);
    test::define_planted_kernels(*device_);
    device_->define<float*, float*, unsigned int*, long long>(
        "planted", [this](const StubLaunch&, float* x, float* y, unsigned int*, long long n) {
          if (n == std::ssize(x_)) firsts_.insert(x[0]);
          for (long long i = 0; i < n; ++i) y[i] = wrong_on_rare_ && x[i] == rare ? 0 : 2 * x[i];
        });
    device_->set_cost("planted", [](const StubLaunch&) { return 20'000.0; });
    x_[3] = rare;
  }

  std::unique_ptr<Evaluator> evaluator(spec::TemplatePtr spec, HostOperands operands) {
    DeviceEvaluatorOptions options;
    options.ceilings = Ceilings{1e12, 1e12, 1e12};
    options.operands = std::move(operands);
    const auto builder = std::make_shared<runtime::KernelBuilder>(std::make_shared<testing::StubCompiler>(),
                                                                  runtime::BuilderOptions{{}, 1});
    return make_device_evaluator(
        device_, builder,
        spec::Instance(std::move(spec), test::planted_problem(std::ssize(x_)), device_->info().traits),
        options);
  }
  HostOperands of(const std::string& name) const { return {{name, std::as_bytes(std::span(x_))}}; }

  std::string message(HostOperands operands) {
    try {
      (void)evaluator(test::planted_template(), std::move(operands));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return error.full_text();
    }
    return "no error";
  }

  std::shared_ptr<testing::StubDevice> device_ = std::make_shared<testing::StubDevice>();
  std::vector<float> x_ = std::vector<float>(1000, 7);
  bool wrong_on_rare_ = false;
  std::set<float> firsts_;  // x[0] of the launches at the tuned dims
};

TEST_F(CallersOperands, AConfigThatIsWrongOnThemAloneIsFound) {
  wrong_on_rare_ = true;
  EXPECT_EQ(evaluator(test::planted_template(), {})->evaluate(planted_config("right")).status,
            OutcomeStatus::ok);
  const Outcome outcome = evaluator(test::planted_template(), of("x"))->evaluate(planted_config("right"));
  EXPECT_EQ(outcome.status, OutcomeStatus::wrong_result);
  EXPECT_THAT(outcome.reason, HasSubstr("input brought by the caller: [3] is 0 instead of 24690"));
}

TEST_F(CallersOperands, AreWhatIsTimed) {
  const auto tuned = evaluator(test::planted_template(), of("x"));
  EXPECT_TRUE(tuned->has_callers_operands());
  const Outcome outcome = tuned->evaluate(planted_config("right"));
  EXPECT_EQ(outcome.status, OutcomeStatus::ok) << outcome.reason;
  EXPECT_GT(firsts_.size(), 1u) << "the manifest's inputs are verified, too";
  for (const bool renewed : {false, true}) {
    if (renewed) tuned->renew_operands();
    firsts_.clear();
    (void)tuned->time_block(planted_config("right"));
    EXPECT_EQ(firsts_, std::set<float>{7});
  }
}

TEST_F(CallersOperands, InPlaceOnesAreRestoredBeforeEachBlock) {
  std::vector<float> firsts;
  device_->define<float*, long long>("in_place", [&](const StubLaunch&, float* z, long long n) {
    if (n == std::ssize(x_)) firsts.push_back(z[0]);
    for (long long i = 0; i < n; ++i) z[i] = 2 * z[i] + 1;
  });
  device_->set_cost("in_place", [](const StubLaunch&) { return 2e6; });  // one or two calls to a block
  const auto tuned = evaluator(test::in_place_template(), of("z"));
  EXPECT_EQ(tuned->evaluate(planted_config("right")).status, OutcomeStatus::ok);
  firsts.clear();
  (void)tuned->time_block(planted_config("right"));
  (void)tuned->time_block(planted_config("right"));
  EXPECT_THAT(firsts, ::testing::Each(7));
  EXPECT_GE(firsts.size(), 2u);
  EXPECT_EQ(x_[0], 7) << "the caller's own stay as they are";
}

TEST_F(CallersOperands, OtherDimsHaveValuesOfTheirOwn) {
  const auto tuned = evaluator(test::planted_template(), of("x"));
  const auto there = tuned->at({{"n", 2048}});
  EXPECT_FALSE(there->has_callers_operands());
  EXPECT_EQ(there->evaluate(planted_config("right")).status, OutcomeStatus::ok);
}

TEST_F(CallersOperands, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(message(of("y")), HasSubstr("'planted' reads no operand 'y'; it reads: x"));
  EXPECT_THAT(message(of("ticket")), HasSubstr("reads no operand 'ticket'"));
  EXPECT_THAT(message({{"x", std::as_bytes(std::span(x_)).subspan(4)}}),
              HasSubstr("operand 'x' has 3996 bytes, and planted has 4000"));
}

}  // namespace
}  // namespace warptune::tuner
