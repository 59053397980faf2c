// Many threads on one kernel: first use happens once, results stay right. Meant for ThreadSanitizer too.
#include <atomic>
#include <barrier>
#include <fstream>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/runtime/capture_scope.hpp>

#include "tests/runtime/dispatch_fixture.hpp"

namespace warptune::testing {
namespace {

using runtime::Match;
using runtime::StreamHandle;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int threads = 8;

class DispatchThreads : public DispatchTest {
 protected:
  // Runs `body(thread)` on all threads, started together.
  template <typename Body>
  void together(Body body) {
    std::barrier start(threads);
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        start.arrive_and_wait();
        body(thread);
      });
    }
    for (std::thread& thread : running) thread.join();
  }
};

TEST_F(DispatchThreads, FirstUseCompilesOnce) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  auto runtime = open();
  std::atomic<int> wrong = 0;
  together([&](int) {
    const auto kernel = this->kernel(runtime);
    const TallyOperands operands(*device_, 1024);
    if (run_tally(kernel, operands, 1024) != Match::tuned || operands.result() != 1024.0f) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_THAT(compiler_->programs(), SizeIs(1));
}

TEST_F(DispatchThreads, PlansOfSeveralStepsOnOneStreamDoNotMix) {
  store({tally_winner({.n = 256, .config = tally_config(32, 1, "two")})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  std::atomic<int> wrong = 0;
  together([&](int thread) {
    const TallyOperands operands(*device_, 1024);
    for (int call = 0; call < 200; ++call) {
      const std::int64_t n =
          100 + thread * 20 + call;  // new dims all the time: the table grows under its readers
      run_tally(kernel, operands, n);
      if (operands.result() != static_cast<float>(n)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(DispatchThreads, AFailingWinnerIsReportedOnce) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  device_->fail_kernels("tally<float, 128", Error(ErrorKind::cuda, "too many resources requested", {}, 701));
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  std::atomic<int> wrong = 0;
  together([&](int) {
    const TallyOperands operands(*device_, 1024);
    for (int call = 0; call < 20; ++call) {
      if (run_tally(kernel, operands, 1024) != Match::default_config || operands.result() != 1024.0f) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_THAT(lines("cannot run here"), SizeIs(1));
  EXPECT_THAT(lines("To tune it"), SizeIs(1));
}

TEST_F(DispatchThreads, SelectBesidesLaunches) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  std::atomic<int> wrong = 0;
  together([&](int thread) {
    const TallyOperands operands(*device_, 4096);
    for (std::int64_t n = 1024; n < 1124; ++n) {
      const std::int64_t dims[] = {n, 1};
      const Match expected = n == 1024 ? Match::tuned : Match::nearest;
      const Match match = thread % 2 == 0 ? kernel.select(dims).match : run_tally(kernel, operands, n);
      if (match != expected) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

// Another thread is served without waiting for the tuner, and what it met gets the winner in the end.
TEST_F(DispatchThreads, OthersAreServedWhileAMissIsTuned) {
  std::atomic<bool> tuning = false, served = false;
  runtime::RuntimeOptions options = this->options();
  options.on_miss = runtime::OnMiss::tune;
  options.tuner = [&](const runtime::Miss&) {
    tuning = true;
    while (!served) std::this_thread::yield();
    return std::vector{tally_winner({.n = 4096, .config = tally_config(256, 1, "one")})};
  };
  auto runtime = runtime::Runtime::open(database(), options, device_);
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 4096), others(*device_, 4096);
  std::thread first([&] { EXPECT_EQ(run_tally(kernel, operands, 4096), Match::tuned); });
  while (!tuning) std::this_thread::yield();
  EXPECT_EQ(run_tally(kernel, others, 4096), Match::default_config);
  served = true;
  first.join();
  EXPECT_EQ(run_tally(kernel, others, 4096), Match::tuned);
}

TEST_F(DispatchThreads, MissesOfManyThreadsAreWrittenOnce) {
  runtime::RuntimeOptions options = this->options();
  options.on_miss = runtime::OnMiss::record;
  auto runtime = runtime::Runtime::open(database(), options, device_);
  const auto kernel = this->kernel(runtime);
  std::atomic<int> wrong = 0;
  together([&](int) {
    const TallyOperands operands(*device_, 1024);
    for (std::int64_t n = 1; n <= 50; ++n)
      if (run_tally(kernel, operands, n) != Match::default_config) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
  std::ifstream list(database().string() + ".misses");
  std::set<std::string> problems;
  int lines = 0;
  for (std::string line; std::getline(list, line); ++lines) problems.insert(line);
  EXPECT_EQ(lines, 50);
  EXPECT_THAT(problems, SizeIs(50));
}

TEST_F(DispatchThreads, EachHasCapturesOfItsOwn) {
  store({tally_winner({.config = tally_config(32, 1, "two")})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  std::atomic<int> wrong = 0;
  together([&](int) {
    const std::int64_t dims[] = {1024, 1};
    const TallyOperands operands(*device_, 1024);
    const StreamHandle stream = device_->create_stream();
    for (int round = 0; round < 10; ++round) {
      runtime::CaptureScope scope(runtime, stream);
      scope.prepare(kernel, dims);
      device_->begin_capture(stream);
      run_tally(kernel, operands, 1024, 1, stream);
      const auto graph = device_->end_capture(stream);
      scope.end();
      run_tally(kernel, operands, 1024, 1, stream);
      graph->launch(stream);
      if (operands.result() != 1024.0f) ++wrong;
    }
    device_->destroy_stream(stream);
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(DispatchThreads, ThreadsThatComeAndGoReuseTheirScratch) {
  store({tally_winner({.config = tally_config(32, 1, "two")})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  const auto run = [&](StreamHandle stream) {
    std::thread([&] { run_tally(kernel, operands, 1024, 1, stream); }).join();
    return device_->live_allocations();
  };
  const std::size_t after_first = run(runtime::legacy_stream);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(run(runtime::legacy_stream), after_first);
}

}  // namespace
}  // namespace warptune::testing
