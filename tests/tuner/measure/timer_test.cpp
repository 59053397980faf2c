// Operand rotation and block timing on the stub device's synthetic clock.
#include "tuner/measure/timer.hpp"

#include <set>

#include <gtest/gtest.h>

#include <warptune/base/error.hpp>

#include "tests/support/stub_compiler.hpp"
#include "tests/support/stub_device.hpp"
#include "tests/tuner/support/host_helper_kernels.hpp"
#include "tests/tuner/support/planted_template.hpp"
#include "tuner/measure/operand_sets.hpp"
#include "tuner/measure/scratch_ring.hpp"

namespace warptune::tuner {
namespace {

spec::DeviceTraits with_l2(std::int64_t bytes) {
  spec::DeviceTraits traits = testing::stub_traits();
  traits.l2_bytes = bytes;
  return traits;
}

class TimerTest : public ::testing::Test {
 protected:
  TimerTest() {
    test::define_helper_kernels(device_);
    builder_ = std::make_unique<runtime::KernelBuilder>(std::make_shared<testing::StubCompiler>(),
                                                        runtime::BuilderOptions{{}, 1});
    helpers_ = std::make_unique<HelperKernels>(device_, *builder_);
  }

  OperandSets sets(const spec::TemplatePtr& spec, std::int64_t n, CachePolicy policy) {
    const spec::Instance instance(spec, test::planted_problem(n), device_.info().traits);
    return OperandSets(device_, *helpers_, instance, policy, GivenOperands(device_, instance, {}), stream_,
                       1);
  }

  bool first_ = false;
  std::size_t captured_ = 0;
  testing::StubDevice device_{with_l2(1 << 20)};
  std::unique_ptr<runtime::KernelBuilder> builder_;
  std::unique_ptr<HelperKernels> helpers_;
  OwnedStream owned_stream_{device_};
  runtime::StreamHandle stream_ = owned_stream_.get();
};

TEST_F(TimerTest, ColdSetsCoverThreeTimesTheCacheAndDoNotOverlap) {
  const std::int64_t n = 100'000;  // 400 kB for x, and again for y
  const OperandSets cold = sets(test::planted_template(), n, CachePolicy::cold);
  const auto l2_bytes = static_cast<std::size_t>(device_.info().traits.l2_bytes);
  EXPECT_TRUE(cold.may_revisit());
  EXPECT_EQ(cold.scrub_bytes(), 2 * l2_bytes);
  EXPECT_GE(cold.count() * 2 * 4 * static_cast<std::size_t>(n), 3 * l2_bytes);
  std::set<runtime::DevicePointer> starts;
  for (std::size_t set = 0; set < cold.count(); ++set) {
    const auto& pointers = cold.pointers(set);
    EXPECT_EQ(pointers[2], 0u);  // the counter belongs to the config
    starts.insert(pointers[0]);
    starts.insert(pointers[1]);
  }
  EXPECT_EQ(starts.size(), 2 * cold.count());
  runtime::DevicePointer last = 0;
  for (const runtime::DevicePointer start : starts) {
    if (last != 0) {
      EXPECT_GE(start - last, static_cast<std::uint64_t>(4 * n));
    }
    last = start;
  }
}

TEST_F(TimerTest, SmallOperandsAreScrubbedAndNeverRevisited) {
  const OperandSets cold = sets(test::planted_template(), 16, CachePolicy::cold);
  EXPECT_FALSE(cold.may_revisit());
  EXPECT_EQ(cold.count(), OperandSets::max_sets);
  Timer timer(device_, stream_, {cold.count(), false, {}, nullptr});
  EXPECT_EQ(timer.calls_for(1e12, 1, 5000), OperandSets::max_sets);
  std::set<std::size_t> sets_used;
  const TimedGraph graph = timer.capture(
      [&](std::size_t set, runtime::StreamHandle) { EXPECT_TRUE(sets_used.insert(set).second) << set; },
      5000);
  EXPECT_EQ(graph.calls(), OperandSets::max_sets);
}

// A millisecond of calls at 5 TB/s, 400 kB each, but none under 2 us: 501 copies, though ten would cover three caches of 1 MiB.
TEST_F(TimerTest, ColdSetsLastForABlock) {
  EXPECT_EQ(sets(test::planted_template(), 50'000, CachePolicy::cold).count(), 501u);
}

// Calls take turns through the places; what does not fit into one has its own.
TEST_F(TimerTest, ScratchTakesTurnsThroughPlacesAndStartsAtZero) {
  const spec::DeviceTraits traits = with_l2(64 << 20);
  testing::StubDevice device(traits);
  const OwnedStream stream(device);
  ScratchRing ring(device, stream.get());
  const auto buffers = test::planted_template()->buffers;  // x, y and a counter
  const spec::Instance instance(test::planted_template(), test::planted_problem(100), traits);
  const std::vector<spec::BufferLayout> layouts = instance.buffers(test::planted_config("right"));
  const ScratchRing::Share share = ring.share(buffers, layouts), other = ring.share(buffers, layouts);
  EXPECT_EQ(share.pointer(0, 0), 0u);
  EXPECT_EQ(share.pointer(1, 0), 0u);
  std::set<runtime::DevicePointer> places;
  for (std::size_t call = 0; call < 2 * ScratchRing::most_places; ++call) {
    EXPECT_EQ(share.pointer(2, call), other.pointer(2, call)) << "all candidates use the same places";
    places.insert(share.pointer(2, call));
  }
  EXPECT_EQ(places.size(), ScratchRing::most_places);
  // Another candidate's partial sums lie where this one counts.
  device.fill(share.pointer(2, 5), 0xff, 4, stream.get());
  ring.reset();
  unsigned counter = 1;
  device.copy_to_host(&counter, share.pointer(2, 5), sizeof counter);
  EXPECT_EQ(counter, 0u);
}

TEST_F(TimerTest, HotIsOneSet) {
  const OperandSets hot = sets(test::planted_template(), 16, CachePolicy::hot);
  EXPECT_EQ(hot.count(), 1u);
  EXPECT_TRUE(hot.may_revisit());
  EXPECT_EQ(hot.scrub_bytes(), 0u);
}

TEST_F(TimerTest, InPlaceOperandsAreRestoredBeforeEverySpan) {
  OperandSets cold = sets(test::in_place_template(), 100, CachePolicy::cold);
  std::vector<float> before(100), after(100);
  device_.copy_to_host(before.data(), cold.pointers(1)[0], 400);
  device_.fill(cold.pointers(1)[0], 0, 400, stream_);
  device_.fill(cold.pointers(2)[0], 0, 400, stream_);
  cold.prepare(2);  // sets 0 and 1 are used
  device_.copy_to_host(after.data(), cold.pointers(1)[0], 400);
  EXPECT_EQ(after, before);
  device_.copy_to_host(after.data(), cold.pointers(2)[0], 400);
  EXPECT_EQ(after, std::vector<float>(100, 0.0f));
}

TEST_F(TimerTest, PoliciesAreTwoWords) {
  EXPECT_EQ(parse_policy("cold"), CachePolicy::cold);
  EXPECT_EQ(parse_policy("hot"), CachePolicy::hot);
  EXPECT_THROW(parse_policy("warm"), Error);
}

TEST_F(TimerTest, BlockIsTheSpanOverItsCallsAndPreparationStaysOutside) {
  device_.set_cost("warptune::tuner::device::do_nothing", [](const testing::StubLaunch&) { return 3000.0; });
  for (const char* outside : {"begin_watch", "wait_ns", "end_watch"})
    device_.set_cost(std::string("warptune::tuner::device::") + outside,
                     [](const testing::StubLaunch&) { return 1e9; });
  std::vector<std::size_t> used;
  BlockWatch watch(device_, *helpers_, stream_);
  Feed feed;
  feed.sets = 4;
  feed.prepare = [&](std::size_t sets_used) { used.push_back(sets_used); };
  feed.watch = &watch;
  Timer timer(device_, stream_, feed);
  std::vector<std::size_t> order;
  TimedGraph graph = timer.capture(
      [&](std::size_t set, runtime::StreamHandle on) {
        order.push_back(set);
        helpers_->do_nothing(on);
      },
      10);
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1}));
  EXPECT_NEAR(timer.time_block(graph), 3000, 200);
  EXPECT_EQ(used, (std::vector<std::size_t>{4}));
  EXPECT_NEAR(timer.gpu_ns(), 30'000, 2000);
  EXPECT_TRUE(watch.take().longest_stall_ns);
}

// Spans that cost 5 us beside their calls.
TEST_F(TimerTest, FixedCostIsFoundBySlopeAndTakenOff) {
  double call_ns = 3000;
  device_.set_cost("warptune::tuner::device::do_nothing",
                   [&](const testing::StubLaunch&) { return call_ns; });
  device_.set_cost("warptune::tuner::device::end_watch", [](const testing::StubLaunch&) { return 5000.0; });
  const runtime::DeviceBuffer watch(device_, sizeof(device::SpanWatch));
  Timer timer(device_, stream_, {});
  const auto call = [&](std::size_t set, runtime::StreamHandle on) {
    if (set == 0 && first_) helpers_->end_watch(watch.get(), on);
    first_ = false;
    helpers_->do_nothing(on);
  };
  const auto capture = [&](std::size_t calls) {
    first_ = true;
    return timer.capture(call, calls);
  };
  TimedGraph graph = capture(10);
  EXPECT_NEAR(timer.time_block(graph), 3500, 1e-6);
  const auto anew = [&](std::size_t set, runtime::StreamHandle on) {
    first_ =
        captured_++ % 272 == 0 || captured_ % 272 == 17;  // the first calls of the graphs of 16 and of 256
    call(set, on);
  };
  EXPECT_NEAR(timer.cancel_fixed_cost(anew), 5000, 1e-6);
  EXPECT_NEAR(timer.time_block(graph), 3000, 1e-6);
  // Where that would be most of a span, it is half of it at most: (5000 + 10) / 2 / 10.
  call_ns = 1;
  EXPECT_NEAR(timer.time_block(graph), 250.5, 1e-6);
}

TEST_F(TimerTest, ARehearsalIsReplayedBeforeTheSpanAndNotTimed) {
  device_.set_cost("warptune::tuner::device::do_nothing", [](const testing::StubLaunch&) { return 3000.0; });
  std::size_t before_prepare = 0;
  Feed feed;
  feed.prepare = [&](std::size_t) { before_prepare = device_.launch_count(); };
  Timer timer(device_, stream_, feed);
  TimedGraph graph =
      timer.capture([&](std::size_t, runtime::StreamHandle on) { helpers_->do_nothing(on); }, 10, true);
  const std::size_t before = device_.launch_count();
  EXPECT_NEAR(timer.time_block(graph), 3000, 1e-6);
  EXPECT_EQ(before_prepare, before + 10) << "what it used is made ready after it";
  EXPECT_EQ(device_.launch_count(), before + 20);
  EXPECT_NEAR(timer.gpu_ns(), 60'000, 1e-6) << "the rehearsal is paid for too";
}

TEST_F(TimerTest, CallsFillTheBlockWithinBounds) {
  const Timer timer(device_, stream_, {1, true, {}, nullptr});
  EXPECT_EQ(timer.calls_for(1e6, 3000, 1000), 334u);  // 333.3, rounded up
  EXPECT_EQ(timer.calls_for(1e6, 10, 1000), 1000u);
  EXPECT_EQ(timer.calls_for(1e6, 5e6, 1000), 1u);
}

TEST_F(TimerTest, FailedCaptureLeavesTheStreamUsable) {
  Timer timer(device_, stream_, {});
  const auto fail = [](std::size_t, runtime::StreamHandle) {
    throw Error(ErrorKind::compile, "the first failure");
  };
  try {
    timer.capture(fail, 2);
    FAIL() << "the failure was swallowed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::compile);
  }
  EXPECT_FALSE(device_.is_capturing(stream_));
}

}  // namespace
}  // namespace warptune::tuner
