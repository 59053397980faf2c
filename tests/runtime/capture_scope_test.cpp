// Captures with memory of their own: graphs of one stream replayed at once share nothing.
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/runtime/capture_scope.hpp>

#include "tests/runtime/dispatch_fixture.hpp"

namespace warptune::testing {
namespace {

using runtime::CaptureScope;
using runtime::Match;
using runtime::StreamHandle;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::int64_t dims[] = {1024, 1};
const std::int64_t larger[] = {4096, 1};

// Notes where each launch's partial sums and ticket lie.
class Captures : public DispatchTest {
 protected:
  Captures() : stream_(device_->create_stream()) {}
  ~Captures() override { device_->destroy_stream(stream_); }

  void tune(const std::string& mode) { store({tally_winner({.config = tally_config(32, 1, mode)})}); }
  void note_scratch() {
    device_->define<const float*, float*, double*, unsigned int*, long long, int>(
        "tally",
        [this](const StubLaunch&, const float*, float*, double* partials, unsigned int* ticket, long long,
               int) { scratch_.push_back(partials != nullptr ? static_cast<void*>(partials) : ticket); });
    device_->define<const double*, float*, long long>(
        "tally_finish", [](const StubLaunch&, const double*, float*, long long) {});
  }
  ErrorKind kind_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  }
  std::unique_ptr<runtime::Graph> capture(const runtime::Kernel& kernel, const TallyOperands& operands) {
    device_->begin_capture(stream_);
    EXPECT_EQ(run_tally(kernel, operands, 1024, 1, stream_), Match::tuned);
    return device_->end_capture(stream_);
  }

  StreamHandle stream_;
  std::vector<void*> scratch_;
};

class CapturesByMode : public Captures, public ::testing::WithParamInterface<const char*> {};

TEST_P(CapturesByMode, TwoGraphsOfOneStreamAndItsEagerLaunchesShareNothing) {
  const char* const mode = GetParam();
  tune(mode);
  note_scratch();
  scratch_.clear();
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  CaptureScope first(runtime, stream_);
  first.prepare(kernel, dims);
  const auto graph_1 = capture(kernel, operands);
  first.end();
  CaptureScope second(runtime, stream_);
  second.prepare(kernel, dims);
  const auto graph_2 = capture(kernel, operands);
  second.end();
  run_tally(kernel, operands, 1024, 1, stream_);
  graph_1->launch(stream_);
  graph_2->launch(stream_);
  graph_1->launch(stream_);
  ASSERT_THAT(scratch_, SizeIs(4)) << mode;
  EXPECT_NE(scratch_[0], nullptr);
  EXPECT_NE(scratch_[0], scratch_[1]);
  EXPECT_NE(scratch_[0], scratch_[2]);
  EXPECT_NE(scratch_[1], scratch_[2]);
  EXPECT_EQ(scratch_[1], scratch_[3]) << "replays of one graph";
}

TEST_F(Captures, WithoutAScopeGraphsOfOneStreamShareItsMemory) {  // so that the test above can fail
  tune("two");
  note_scratch();
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  kernel.prepare(stream_, dims);
  const auto graph_1 = capture(kernel, operands), graph_2 = capture(kernel, operands);
  graph_1->launch(stream_);
  graph_2->launch(stream_);
  EXPECT_EQ(scratch_.at(0), scratch_.at(1));
}

TEST_P(CapturesByMode, MayBePreparedWhileItGoesOn) {
  const char* const mode = GetParam();
  tune(mode);
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  device_->begin_capture(stream_);
  CaptureScope scope(runtime, stream_);
  EXPECT_EQ(kind_of([&] { run_tally(kernel, operands, 1024, 1, stream_); }), ErrorKind::capture);
  scope.prepare(kernel, dims);
  EXPECT_EQ(device_->launch_count(), 0U);
  EXPECT_EQ(run_tally(kernel, operands, 1024, 1, stream_), Match::tuned);
  const auto graph = device_->end_capture(stream_);
  scope.end();
  for (int replay = 0; replay < 3; ++replay) {
    const float nothing = 0;
    device_->copy_to_device(reinterpret_cast<runtime::DevicePointer>(operands.pointers()[1]), &nothing, 4);
    graph->launch(runtime::legacy_stream);
    EXPECT_EQ(operands.result(), 1024.0f) << mode;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, CapturesByMode, ::testing::Values("two", "ticket"));

TEST_F(Captures, WhatItWasNotPreparedForIsAnErrorThatLeavesTheCaptureValid) {
  tune("two");
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 4096);
  kernel.prepare(stream_, larger);  // the stream could, the scope cannot
  CaptureScope scope(runtime, stream_);
  scope.prepare(kernel, dims);
  device_->begin_capture(stream_);
  EXPECT_EQ(kind_of([&] { run_tally(kernel, operands, 4096, 1, stream_); }), ErrorKind::capture);
  EXPECT_EQ(run_tally(kernel, operands, 1024, 1, stream_), Match::tuned);
  scope.prepare(kernel, larger);  // what was captured keeps its memory
  EXPECT_EQ(run_tally(kernel, operands, 4096, 1, stream_), Match::nearest);
  const auto graph = device_->end_capture(stream_);
  scope.end();
  graph->launch(stream_);
  EXPECT_EQ(operands.result(), 4096.0f);
}

TEST_F(Captures, MemoryGoesWithTheScopeAndTheStreamHasItsOwnAgain) {
  tune("two");
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  run_tally(kernel, operands, 1024, 1, stream_);
  const std::size_t before = device_->live_allocations();
  {
    CaptureScope scope(runtime, stream_);
    scope.prepare(kernel, dims);
    EXPECT_EQ(device_->live_allocations(), before + 1);
    run_tally(kernel, operands, 1024, 1, stream_);
    EXPECT_EQ(operands.result(), 1024.0f);
  }
  EXPECT_EQ(device_->live_allocations(), before);
  run_tally(kernel, operands, 1024, 1, stream_);
  EXPECT_EQ(operands.result(), 1024.0f);
  EXPECT_EQ(device_->live_allocations(), before);
  EXPECT_THAT(device_->faults(), IsEmpty());
}

TEST_F(Captures, WrongUseIsRefused) {
  tune("two");
  auto runtime = open(), other = open();
  const auto kernel = this->kernel(runtime);
  CaptureScope scope(runtime, stream_);
  EXPECT_EQ(kind_of([&] { CaptureScope(runtime, stream_); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { scope.prepare(this->kernel(other), dims); }), ErrorKind::usage);
  // Another thread and another stream are none of its business.
  std::thread([&] { EXPECT_NO_THROW(CaptureScope(runtime, stream_)); }).join();
  EXPECT_NO_THROW(CaptureScope(runtime, runtime::legacy_stream));
  scope.end();
  EXPECT_EQ(kind_of([&] { scope.prepare(kernel, dims); }), ErrorKind::usage);
  EXPECT_NO_THROW(CaptureScope(runtime, stream_));
}

TEST_F(Captures, ScopesMoveAndOutliveTheirRuntime) {
  tune("ticket");
  std::optional<CaptureScope> kept;
  const TallyOperands operands(*device_, 1024);
  std::unique_ptr<runtime::Graph> graph;
  {
    auto runtime = open();
    const auto kernel = this->kernel(runtime);
    CaptureScope scope(runtime, stream_);
    scope.prepare(kernel, dims);
    kept = std::move(scope);
    graph = capture(kernel, operands);
    kept->end();
  }
  graph->launch(stream_);
  EXPECT_EQ(operands.result(), 1024.0f);
  graph.reset();
  kept.reset();
  EXPECT_THAT(device_->faults(), IsEmpty());
  EXPECT_EQ(device_->live_allocations(), 2U);  // x and y
}

}  // namespace
}  // namespace warptune::testing
