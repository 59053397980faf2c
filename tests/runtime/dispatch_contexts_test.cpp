// One runtime on several contexts: which device's records serve, where code and memory lie, and that a launch does not ask what
// is current. Meant for ThreadSanitizer too.
#include <atomic>
#include <barrier>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/runtime/capture_scope.hpp>
#include <warptune/runtime/embedding.hpp>

#include "tests/runtime/dispatch_fixture.hpp"
#include "tests/support/stub_contexts.hpp"

namespace warptune::testing {
namespace {

using runtime::ContextId;
using runtime::Kernel;
using runtime::Match;
using runtime::no_context;
using runtime::Runtime;
using ::testing::HasSubstr;
using ::testing::SizeIs;

spec::DeviceTraits other_model() {
  spec::DeviceTraits traits = stub_traits();
  traits.model = "Other GPU";
  return traits;
}

// `a` and `same` are two contexts of one model, `other` is of another one. This thread begins with `a`.
class DispatchContexts : public DispatchTest {
 protected:
  struct Place {
    explicit Place(const spec::DeviceTraits& traits) : device(std::make_shared<StubDevice>(traits)) {
      define_tally(*device);
      device->count_launches_by_name();
    }
    std::size_t launches(const std::string& kernel) const {
      const auto counts = device->launches_by_name();
      const auto found = counts.find(kernel);
      return found == counts.end() ? 0 : found->second;
    }
    std::shared_ptr<StubDevice> device;
    ContextId id{};
  };

  DispatchContexts() {
    for (Place* place : {&a_, &same_, &other_}) place->id = contexts_->add(place->device);
    contexts_->make_current(a_.id);
  }
  ~DispatchContexts() override { contexts_->make_current(no_context); }

  Runtime open() { return Runtime::open(database(), options(), contexts_); }
  // With a kernel of each model tuned for it.
  Runtime open_tuned(const std::string& mode = "one") {
    store({tally_winner({.config = tally_config(128, 1, mode)}, stub_traits()),
           tally_winner({.config = tally_config(256, 1, mode)}, other_model())});
    return open();
  }
  template <typename Body>
  void in(const Place& place, Body body) {
    std::thread([&] {
      contexts_->make_current(place.id);
      body();
      EXPECT_EQ(contexts_->current(), place.id);
    }).join();
  }

  std::shared_ptr<StubContexts> contexts_ = std::make_shared<StubContexts>();
  Place a_{stub_traits()}, same_{stub_traits()}, other_{other_model()};
};

TEST_F(DispatchContexts, RecordsAreThoseOfTheDeviceThatIsCurrent) {
  Runtime runtime = open_tuned();
  for (const Place* place : {&a_, &other_}) {
    in(*place, [&] {
      const Kernel kernel = this->kernel(runtime);
      const TallyOperands operands(*place->device, 1024);
      EXPECT_EQ(run_tally(kernel, operands, 1024), Match::tuned);
      EXPECT_EQ(operands.result(), 1024.0F);
      EXPECT_EQ(runtime.device().info().traits.model, place->device->info().traits.model);
    });
  }
  EXPECT_EQ(a_.launches("tally<float, 128, 1, Mode::one>"), 1U);
  EXPECT_EQ(other_.launches("tally<float, 256, 1, Mode::one>"), 1U);
  EXPECT_EQ(a_.device->launch_count() + other_.device->launch_count(), 2U);
}

TEST_F(DispatchContexts, TwoOfOneDeviceShareCompiledCodeAndLoadItEach) {
  Runtime runtime = open_tuned("two");
  std::optional<Kernel> here = kernel(runtime), there;
  const TallyOperands operands(*a_.device, 1024);
  EXPECT_EQ(run_tally(*here, operands, 1024), Match::tuned);
  in(same_, [&] {
    there = kernel(runtime);
    const TallyOperands others(*same_.device, 1024);
    EXPECT_EQ(run_tally(*there, others, 1024), Match::tuned);
    EXPECT_EQ(others.result(), 1024.0F);
  });
  EXPECT_THAT(compiler_->programs(), SizeIs(1));
  EXPECT_EQ(a_.device->load_count(), same_.device->load_count());
  EXPECT_GT(a_.device->live_allocations(), 2U);  // beside the operands: the workspace
  EXPECT_GT(same_.device->live_allocations(), 0U);
}

TEST_F(DispatchContexts, ALaunchDoesNotAskWhatIsCurrent) {
  Runtime runtime = open_tuned("two");
  const Kernel kernel = this->kernel(runtime);
  const TallyOperands operands(*a_.device, 1024);
  run_tally(kernel, operands, 1024);
  const std::size_t before = contexts_->queries();
  for (int call = 0; call < 100; ++call) run_tally(kernel, operands, 1024);
  EXPECT_EQ(contexts_->queries(), before);
}

TEST_F(DispatchContexts, ATypedCallAsksOnceAndFollowsTheThread) {
  for (Place* place : {&a_, &other_}) {
    place->device->define<const float*, const float*, float*, float*, unsigned int*, long long, int>(
        "dot", [](const StubLaunch&, auto...) {});
    place->device->define<const float*, float*, long long>("dot_finish", [](const StubLaunch&, auto...) {});
  }
  Runtime runtime = open();
  const auto call = [&](const Place& place) {
    const runtime::DeviceBuffer x(*place.device, 64), y(*place.device, 64);
    const auto pointer = [](const runtime::DeviceBuffer& buffer) {
      return reinterpret_cast<float*>(buffer.get());
    };
    const std::size_t before = place.device->launch_count();
    for (int i = 0; i < 10; ++i) warptune::dot(runtime, pointer(x), pointer(x), pointer(y), 16);
    EXPECT_GE(place.device->launch_count(), before + 10);
  };
  call(a_);
  const std::size_t before = contexts_->queries();
  call(a_);
  EXPECT_EQ(contexts_->queries(), before + 10);
  contexts_->make_current(other_.id);
  call(other_);
  contexts_->make_current(a_.id);
}

TEST_F(DispatchContexts, AKernelOfAnotherContextIsAnErrorBeforeAnythingIsDone) {
  Runtime runtime = open_tuned();
  const Kernel kernel = this->kernel(runtime);
  in(same_, [&] {
    const TallyOperands operands(*same_.device, 1024);
    try {
      run_tally(kernel, operands, 1024);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), HasSubstr("tally was got for a context of stub:0, and another is current"));
      EXPECT_THAT(error.hint(), HasSubstr("Runtime::kernel()"));
    }
  });
  EXPECT_EQ(a_.device->load_count() + same_.device->load_count(), 0U);
}

TEST_F(DispatchContexts, ACaptureScopeIsOfOneContext) {
  Runtime runtime = open_tuned("two");
  const Kernel kernel = this->kernel(runtime);
  in(same_, [&] {
    const std::int64_t dims[] = {1024, 1};
    runtime::CaptureScope scope(runtime, same_.device->create_stream());
    EXPECT_THROW(scope.prepare(kernel, dims), Error);
    scope.prepare(this->kernel(runtime), dims);
  });
}

TEST_F(DispatchContexts, WithoutOneThereIsNoKernelAndNoRuntime) {
  Runtime runtime = open();
  contexts_->make_current(no_context);
  const auto kind_of = [](const auto& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  EXPECT_EQ(kind_of([&] { kernel(runtime); }), ErrorKind::no_device);
  EXPECT_EQ(kind_of([&] { open(); }), ErrorKind::no_device);
  EXPECT_EQ(contexts_->current(), no_context);
  contexts_->make_current(a_.id);
  kernel(runtime);
}

TEST_F(DispatchContexts, H08OneNoticePerGpuModel) {
  Runtime runtime = open();
  for (const Place* place : {&a_, &same_, &other_}) {
    in(*place, [&] {
      const Kernel kernel = this->kernel(runtime);
      const TallyOperands operands(*place->device, 1024);
      for (int call = 0; call < 3; ++call)
        EXPECT_EQ(run_tally(kernel, operands, 1024), Match::default_config);
    });
  }
  EXPECT_THAT(lines("To tune it"), SizeIs(2));
}

TEST_F(DispatchContexts, AFileThatCannotBeReadIsOneWarningForAllOfThem) {
  Runtime runtime = open();  // there is none
  for (const Place* place : {&a_, &same_, &other_}) in(*place, [&] { kernel(runtime); });
  EXPECT_THAT(lines("kernels run their default configs"), SizeIs(1));
}

TEST_F(DispatchContexts, AMissIsTunedOncePerModel) {
  std::vector<std::string> tuned;  // models
  runtime::RuntimeOptions options = this->options();
  options.on_miss = runtime::OnMiss::tune;
  options.tuner = [&](const runtime::Miss& miss) {
    tuned.push_back(miss.device.traits.model);
    return std::vector{tally_winner({.config = tally_config(128, 1, "one")}, miss.device.traits)};
  };
  Runtime runtime = Runtime::open(database(), options, contexts_);
  for (const Place* place : {&a_, &same_, &other_}) {
    in(*place, [&] {
      const TallyOperands operands(*place->device, 1024);
      EXPECT_EQ(run_tally(kernel(runtime), operands, 1024), Match::tuned);
    });
  }
  EXPECT_THAT(tuned, ::testing::ElementsAre("Stub GPU", "Other GPU"));
}

// The other goes on, and what goes away goes quietly, in any order.
TEST_F(DispatchContexts, OneThatIsLostTakesNothingWithIt) {
  std::optional<Runtime> runtime = open_tuned("two");
  std::optional<Kernel> kernel = this->kernel(*runtime), other;
  const TallyOperands operands(*a_.device, 1024);
  run_tally(*kernel, operands, 1024);
  a_.device->fail_launch(1, Error(ErrorKind::cuda, "an illegal memory access was encountered", {}, 700));
  EXPECT_THROW(run_tally(*kernel, operands, 1024), Error);
  EXPECT_THROW(run_tally(*kernel, operands, 1024), Error);
  in(other_, [&] {
    other = this->kernel(*runtime);
    const TallyOperands others(*other_.device, 1024);
    EXPECT_EQ(run_tally(*other, others, 1024), Match::tuned);
    runtime.reset();
    kernel.reset();
    EXPECT_EQ(run_tally(*other, others, 1024), Match::tuned);
  });
  contexts_->make_current(no_context);  // as when all contexts went before the last handle
  other.reset();
  EXPECT_THAT(a_.device->faults(), SizeIs(0));
  EXPECT_THAT(other_.device->faults(), SizeIs(0));
}

TEST_F(DispatchContexts, ThreadsOfAllOfThemAtOnce) {
  Runtime runtime = open_tuned("two");
  std::atomic<int> wrong = 0;
  std::barrier start(9);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 9; ++thread) {
    threads.emplace_back([&, thread] {
      const Place& place = *std::array{&a_, &same_, &other_}[static_cast<std::size_t>(thread) % 3];
      contexts_->make_current(place.id);
      start.arrive_and_wait();
      const TallyOperands operands(*place.device, 1100);
      for (std::int64_t n = 1010; n < 1030; ++n) {
        const Match expected = n == 1024 ? Match::tuned : Match::nearest;
        if (run_tally(kernel(runtime), operands, n) != expected || operands.result() != static_cast<float>(n))
          ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_THAT(compiler_->programs(), SizeIs(2));  // one config of each model
}

}  // namespace
}  // namespace warptune::testing
