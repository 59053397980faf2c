// Launching through the runtime on the stub device: what runs, with which operands, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/dispatch_fixture.hpp"

namespace warptune::testing {
namespace {

using runtime::Match;
using runtime::StreamHandle;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ErrorKind kind_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;
}

class DispatchLaunch : public DispatchTest {
 protected:
  DispatchLaunch() { device_->count_launches_by_name(); }
  std::size_t launches(const std::string& part) const {
    std::size_t count = 0;
    for (const auto& [name, number] : device_->launches_by_name())
      count += name.find(part) != std::string::npos ? number : 0;
    return count;
  }
};

TEST_F(DispatchLaunch, RunsTheTunedConfigAndTheDefaultElsewhere) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 100'000);
  EXPECT_EQ(run_tally(kernel, operands, 1024), Match::tuned);
  EXPECT_EQ(operands.result(), 1024.0f);
  EXPECT_EQ(run_tally(kernel, operands, 2000), Match::nearest);
  EXPECT_EQ(operands.result(), 2000.0f);
  EXPECT_EQ(run_tally(kernel, operands, 100'000), Match::default_config);
  EXPECT_EQ(operands.result(), 100'000.0f);
  EXPECT_EQ(launches("tally<float, 128, 1, Mode::one>"), 2U);
  EXPECT_EQ(launches("tally<float, 64, 1, Mode::one>"), 1U);
  EXPECT_THAT(compiler_->programs(), SizeIs(2));  // each config once
}

TEST_F(DispatchLaunch, SelectTellsWhatALaunchWouldRunWithoutCompiling) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const std::int64_t tuned[] = {1024, 1};
  const std::int64_t other[] = {1024, 3};
  EXPECT_EQ(kernel.select(tuned).match, Match::tuned);
  EXPECT_EQ(kernel.select(other).match, Match::default_config);
  EXPECT_THAT(kernel.select(other).reason, HasSubstr("k=1"));
  EXPECT_THAT(compiler_->programs(), IsEmpty());
  const TallyOperands operands(*device_, 1024);
  run_tally(kernel, operands, 1024);
  EXPECT_EQ(kernel.select(tuned).config, "BLOCK=128 PACK=1 MODE=one");
}

TEST_F(DispatchLaunch, H19EveryOffsetGetsAConfigThatFits) {
  store({tally_winner({.config = tally_config(128, 4, "one"), .alignment_bytes = 16}),
         tally_winner({.config = tally_config(128, 2, "one"), .alignment_bytes = 8}),
         tally_winner({.config = tally_config(128, 1, "one"), .alignment_bytes = 4})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const std::size_t expected[] = {4, 1, 2, 1,
                                  4, 1, 2, 1};  // pack at each offset of floats from 16-byte alignment
  for (std::int64_t offset = 0; offset < 8; ++offset) {
    const TallyOperands operands(*device_, 1024, offset);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(operands.pointers()[0]) % 16,
              static_cast<std::size_t>(offset) * 4 % 16);
    const std::string entry = "tally<float, 128, " + std::to_string(expected[offset]) + ", Mode::one>";
    const std::size_t before = launches(entry);
    EXPECT_EQ(run_tally(kernel, operands, 1024), Match::tuned);
    EXPECT_EQ(launches(entry), before + 1) << "offset " << offset;
    EXPECT_EQ(operands.result(), 1024.0f);
  }
}

TEST_F(DispatchLaunch, WorkspacesAndSeveralSteps) {
  store({tally_winner({.config = tally_config(32, 1, "two")})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 4096);
  for (const std::int64_t n : {1024, 4096, 1000, 300, 4096}) {  // grows, then shrinks
    EXPECT_NE(run_tally(kernel, operands, n), Match::default_config);
    EXPECT_EQ(operands.result(), static_cast<float>(n));
  }
  EXPECT_EQ(launches("tally_finish"), 5U);
  EXPECT_EQ(device_->programmatic_launch_count(), 5U) << "tally_finish, and nothing else, may begin early";
}

TEST_F(DispatchLaunch, StreamsHaveCountersOfTheirOwnAndKeepThem) {
  store({tally_winner({.config = tally_config(32, 1, "ticket")})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  const std::size_t before = device_->live_allocations();
  const StreamHandle streams[] = {device_->create_stream(), device_->create_stream()};
  for (int round = 0; round < 3; ++round) {
    for (const StreamHandle stream : streams) {
      run_tally(kernel, operands, 1024, 1, stream);
      EXPECT_EQ(operands.result(), 1024.0f);
    }
  }
  EXPECT_EQ(device_->live_allocations(), before + 2);
  for (const StreamHandle stream : streams) device_->destroy_stream(stream);
}

TEST_F(DispatchLaunch, NoElementsIsADefinedResult) {
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 8);
  const std::int64_t dims[] = {0, 1};
  std::vector<void*> pointers = operands.pointers();
  pointers[0] = nullptr;  // no elements, no address needed
  kernel.launch(runtime::legacy_stream, dims, pointers);
  EXPECT_EQ(operands.result(), 0.0f);
}

TEST_F(DispatchLaunch, WrongUseIsRefusedBeforeAnyLaunch) {
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  const auto launch = [&](std::vector<std::int64_t> dims, std::vector<void*> pointers) {
    return kind_of([&] { kernel.launch(runtime::legacy_stream, dims, pointers); });
  };
  const std::vector<void*> good = operands.pointers();
  EXPECT_EQ(launch({1024}, good), ErrorKind::usage);
  EXPECT_EQ(launch({1024, 1, 1}, good), ErrorKind::usage);
  EXPECT_EQ(launch({1024, -1}, good), ErrorKind::usage);
  EXPECT_EQ(launch({1024, 1}, {good[0]}), ErrorKind::usage);
  EXPECT_EQ(launch({1024, 1}, {nullptr, good[1]}), ErrorKind::usage);
  EXPECT_EQ(launch({1024, 1}, {good[0], nullptr}), ErrorKind::usage);
  EXPECT_EQ(launch({1024, 1}, {static_cast<char*>(good[0]) + 2, good[1]}), ErrorKind::usage);
  EXPECT_EQ(launch({std::int64_t{1} << 62, 4}, good), ErrorKind::bad_input);  // n * k overflows
  EXPECT_EQ(kind_of([&] { kernel.select(std::vector<std::int64_t>{1024, 1}, 3); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { runtime.kernel("nothing-of-that-name", {}); }), ErrorKind::not_found);
  EXPECT_EQ(kind_of([&] { runtime.kernel(manifest().string(), {{"T", "int"}}); }), ErrorKind::bad_input);
  EXPECT_EQ(device_->launch_count(), 0U);
  EXPECT_EQ(run_tally(kernel, operands, 1024), Match::default_config);  // and none of it left a mark
}

TEST_F(DispatchLaunch, SizesBeyond32BitsKeepTheirValue) {
  long long seen = 0;
  device_->define<const float*, float*, double*, unsigned int*, long long, int>(
      "tally", [&](const StubLaunch&, const float*, float*, double*, unsigned int*, long long count, int) {
        seen = count;
      });
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 8);
  const std::int64_t n = (std::int64_t{1} << 33) + 5;
  run_tally(kernel, operands, n);
  EXPECT_EQ(seen, n);
}

TEST_F(DispatchLaunch, H17ACaptureWithoutPreparationIsAClearErrorAndStaysValid) {
  store({tally_winner({.config = tally_config(32, 1, "two")})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 2048);
  const StreamHandle stream = device_->create_stream();

  device_->begin_capture(stream);
  try {
    run_tally(kernel, operands, 1024, 1, stream);
    FAIL() << "a first use in a capture must not pass";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::capture);
    EXPECT_THAT(error.full_text(), HasSubstr("n=1024 k=1"));
    EXPECT_THAT(error.full_text(), HasSubstr("prepare()"));
  }
  EXPECT_EQ(device_->live_allocations(), 2U);  // x and y
  EXPECT_NO_THROW(device_->end_capture(stream));
  EXPECT_THAT(compiler_->programs(), IsEmpty());

  const std::int64_t dims[] = {1024, 1};
  kernel.prepare(stream, dims);
  EXPECT_EQ(device_->launch_count(), 0U);
  device_->begin_capture(stream);
  EXPECT_EQ(run_tally(kernel, operands, 1024, 1, stream), Match::tuned);
  const auto graph = device_->end_capture(stream);
  for (const float value : {1.0f, 2.0f, 0.5f}) {  // replays see the operands as they are then
    const std::vector<float> x(1024, value);
    device_->copy_to_device(reinterpret_cast<runtime::DevicePointer>(operands.pointers()[0]), x.data(), 4096);
    graph->launch(stream);
    device_->synchronize(stream);
    EXPECT_EQ(operands.result(), 1024 * value);
  }
  // Other dims need a larger workspace, or another entry: not in this capture.
  device_->begin_capture(stream);
  EXPECT_EQ(kind_of([&] { run_tally(kernel, operands, 2048, 1, stream); }), ErrorKind::capture);
  EXPECT_EQ(run_tally(kernel, operands, 1024, 1, stream), Match::tuned);
  EXPECT_NO_THROW(device_->end_capture(stream));
  device_->destroy_stream(stream);
}

TEST_F(DispatchLaunch, H17AWarmStreamDoesNotPrepareAnother) {
  store({tally_winner({.config = tally_config(32, 1, "two")})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  run_tally(kernel, operands, 1024);
  const StreamHandle stream = device_->create_stream();
  device_->begin_capture(stream);
  EXPECT_EQ(kind_of([&] { run_tally(kernel, operands, 1024, 1, stream); }), ErrorKind::capture);
  EXPECT_NO_THROW(device_->end_capture(stream));
  device_->destroy_stream(stream);
}

TEST_F(DispatchLaunch, AWorkspaceOfTheCallersNeedsNoStreamOfItsOwn) {
  store({tally_winner({.config = tally_config(32, 1, "two")})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 2048);
  const std::int64_t dims[] = {1024, 1};
  const std::int64_t larger[] = {2048, 1};
  const StreamHandle stream = device_->create_stream();
  {
    const runtime::Workspace workspace = kernel.reserve(dims);
    device_->begin_capture(stream);
    EXPECT_EQ(kernel.launch(stream, dims, operands.pointers(), workspace), Match::tuned);
    const auto graph = device_->end_capture(stream);
    graph->launch(stream);
    EXPECT_EQ(operands.result(), 1024.0f);
    EXPECT_EQ(device_->live_allocations(), 3U);  // x, y, workspace: the stream got none
    EXPECT_EQ(kind_of([&] { kernel.launch(stream, larger, operands.pointers(), workspace); }),
              ErrorKind::usage);
  }
  EXPECT_EQ(device_->live_allocations(), 2U);
  device_->destroy_stream(stream);
}

TEST_F(DispatchLaunch, H08OneNoticePerShapeClassWithTheCommand) {
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 4096);
  for (int call = 0; call < 1000; ++call) {
    EXPECT_EQ(run_tally(kernel, operands, 1024 + call),
              Match::default_config);  // 2^10 <= n < 2^11: one class
  }
  EXPECT_THAT(lines("To tune it"),
              ElementsAre(HasSubstr("warptune tune " + manifest().string() +
                                    " --types T=f32 --dims k=1 --dims n=1024 --db " + database().string())));
  run_tally(kernel, operands, 2048);
  run_tally(kernel, operands, 1024, 2);
  EXPECT_THAT(lines("To tune it"), SizeIs(3));  // another class of n, another k
  const auto again = this->kernel(runtime);
  run_tally(again, operands, 1024);
  EXPECT_THAT(lines("To tune it"), SizeIs(3));
}

TEST_F(DispatchLaunch, H08TunedAndNearestCallsGiveNoNotice) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 2048);
  run_tally(kernel, operands, 1024);
  run_tally(kernel, operands, 2048);
  EXPECT_THAT(lines(), IsEmpty());
}

TEST_F(DispatchLaunch, HandlesMayDieInAnyOrder) {
  auto operands = std::make_unique<TallyOperands>(*device_, 1024);
  store({tally_winner({.config = tally_config(32, 1, "two")})});
  std::optional<runtime::Kernel> kernel;
  std::optional<runtime::Workspace> workspace;
  {
    auto runtime = open();
    kernel = this->kernel(runtime);
  }
  EXPECT_EQ(run_tally(*kernel, *operands, 1024), Match::tuned);  // the kernel keeps what it needs
  EXPECT_EQ(operands->result(), 1024.0f);
  const std::int64_t dims[] = {1024, 1};
  workspace = kernel->reserve(dims);
  kernel.reset();
  workspace.reset();
  operands.reset();
  EXPECT_EQ(device_->live_allocations(), 0U);
  EXPECT_THAT(device_->faults(), IsEmpty());
}

TEST_F(DispatchLaunch, DestructionAfterALostContextIsQuiet) {
  const TallyOperands operands(*device_, 1024);
  store({tally_winner({.config = tally_config(32, 1, "two")})});
  {
    auto runtime = open();
    const auto kernel = this->kernel(runtime);
    run_tally(kernel, operands, 1024);
    device_->fail_launch(1, Error(ErrorKind::cuda, "illegal address", {}, 700));
    EXPECT_EQ(kind_of([&] { run_tally(kernel, operands, 1024); }), ErrorKind::cuda);
    EXPECT_EQ(kind_of([&] { run_tally(kernel, operands, 1024); }), ErrorKind::cuda);
    EXPECT_THAT(lines("cannot run here"), IsEmpty());  // no fault of the config
  }
  device_->recover();
}

}  // namespace
}  // namespace warptune::testing
