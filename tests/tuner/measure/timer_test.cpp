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

namespace warptune::tuner {
namespace {

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
    return OperandSets(device_, *helpers_, instance, policy, stream_, 1);
  }

  testing::StubDevice device_;
  std::unique_ptr<runtime::KernelBuilder> builder_;
  std::unique_ptr<HelperKernels> helpers_;
  OwnedStream owned_stream_{device_};
  runtime::StreamHandle stream_ = owned_stream_.get();
};

TEST_F(TimerTest, ColdSetsCoverThreeTimesTheCacheAndDoNotOverlap) {
  const std::int64_t n = 100'000;  // 400 kB for x, and again for y
  const OperandSets cold = sets(test::planted_template(), n, CachePolicy::cold);
  const auto l2_bytes = static_cast<std::size_t>(device_.info().traits.l2_bytes);
  EXPECT_FALSE(cold.needs_scrub());
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
  EXPECT_TRUE(cold.needs_scrub());
  EXPECT_EQ(cold.count(), OperandSets::max_sets);
  Timer timer(device_, stream_, {cold.count(), false, {}, {}});
  EXPECT_EQ(timer.calls_for(1e12, 1, 5000), OperandSets::max_sets);
  std::set<std::size_t> sets_used;
  const TimedGraph graph = timer.capture(
      [&](std::size_t set, runtime::StreamHandle) { EXPECT_TRUE(sets_used.insert(set).second) << set; },
      5000);
  EXPECT_EQ(graph.calls(), OperandSets::max_sets);
}

TEST_F(TimerTest, HotIsOneSet) {
  const OperandSets hot = sets(test::planted_template(), 16, CachePolicy::hot);
  EXPECT_EQ(hot.count(), 1u);
  EXPECT_FALSE(hot.needs_scrub());
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
  device_.set_cost("warptune::tuner::device::wait_ns", [](const testing::StubLaunch&) { return 1e9; });
  std::vector<std::size_t> used;
  std::vector<std::uint64_t> waits;
  Feed feed;
  feed.sets = 4;
  feed.prepare = [&](std::size_t sets_used) { used.push_back(sets_used); };
  feed.wait = [&](std::uint64_t duration_ns) {
    waits.push_back(duration_ns);
    helpers_->wait(duration_ns, stream_);
  };
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
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_GT(waits[0], 10 * 300u);  // what the host may need for ten calls
  EXPECT_NEAR(timer.gpu_ns(), 30'000, 2000);
}

TEST_F(TimerTest, CallsFillTheBlockWithinBounds) {
  const Timer timer(device_, stream_, {1, true, {}, {}});
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
