// Compiling ahead on threads: what was added is there when it is waited for, failures reach the owner, and leaving is quick.
#include "tuner/evaluate/compile_ahead.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "tests/support/stub_compiler.hpp"
#include "tests/tuner/support/mini_template.hpp"

namespace warptune::tuner {
namespace {

using test::mini_config;

// Takes its time, unless it is cancelled.
class SlowCompiler final : public runtime::Compiler {
 public:
  std::vector<runtime::CompileResult> compile(const runtime::CompileRequest& request) override {
    for (int i = 0; i < delay_ms && !cancelled; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (cancelled || throws) throw std::runtime_error("no more");
    return stub_.compile(request);
  }
  std::string identity() const override { return stub_.identity(); }
  std::string version() const override { return stub_.version(); }
  std::string headers_hash() const override { return stub_.headers_hash(); }
  bool supports(const std::string&) const override { return true; }
  std::size_t programs() const { return stub_.programs().size(); }

  std::atomic<int> delay_ms = 5;
  std::atomic<bool> cancelled = false, throws = false;

 private:
  testing::StubCompiler stub_;
};

class CompileAheadTest : public ::testing::Test {
 protected:
  std::vector<spec::Config> threads_of(std::int64_t pack) const {
    std::vector<spec::Config> configs;
    for (const std::int64_t threads : {32, 64, 128, 256}) configs.push_back(mini_config(threads, pack));
    return configs;
  }

  std::shared_ptr<SlowCompiler> compiler_ = std::make_shared<SlowCompiler>();
  spec::Instance instance_{test::mini_template(), test::mini_problem("__half"), test::h200()};
  runtime::KernelBuilder builder_{compiler_, {{}, 2, 2}};
  BuiltKernels built_{builder_, instance_, "sm_90"};
};

TEST_F(CompileAheadTest, WhatWasAddedIsThereWhenItIsWaitedFor) {
  CompileAhead ahead(built_, [&] { compiler_->cancelled = true; });
  for (const std::int64_t pack : {1, 2, 4}) ahead.add(threads_of(pack));
  for (const std::int64_t pack : {1, 2, 4})
    for (const spec::Config& config : threads_of(pack)) {
      ahead.wait_for(config);
      EXPECT_TRUE(built_.is_built(config));
      EXPECT_EQ(built_.judge(config).status, OutcomeStatus::ok);
    }
  ahead.wait();
  const std::size_t programs = compiler_->programs();
  ahead.add(threads_of(2));  // nothing is left to do
  ahead.wait();
  EXPECT_EQ(compiler_->programs(), programs);
}

TEST_F(CompileAheadTest, WhatWasNotAddedIsNotWaitedFor) {
  CompileAhead ahead(built_, [&] { compiler_->cancelled = true; });
  ahead.wait_for(mini_config(32, 1));
  EXPECT_FALSE(built_.is_built(mini_config(32, 1)));
}

TEST_F(CompileAheadTest, FailuresReachTheOwner) {
  compiler_->throws = true;
  CompileAhead ahead(built_, [&] { compiler_->cancelled = true; });
  ahead.add(threads_of(1));
  EXPECT_THROW(ahead.wait_for(mini_config(32, 1)), std::runtime_error);
  EXPECT_THROW(ahead.wait(), std::runtime_error);
}

TEST_F(CompileAheadTest, LeavingGivesUpWhatCompiles) {
  compiler_->delay_ms = 60'000;
  const auto start = std::chrono::steady_clock::now();
  {
    CompileAhead ahead(built_, [&] { compiler_->cancelled = true; });
    for (const std::int64_t pack : {1, 2, 4}) ahead.add(threads_of(pack));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace warptune::tuner
