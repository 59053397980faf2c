// The timer and the calibration on a real GPU: figures within what hardware can do, repeatable, and cold where cold is asked.
#include <vector>

#include <optional>

#include <gtest/gtest.h>

#include <warptune/tuner/device_evaluator.hpp>

#include "tests/gpu/gpu_fixture.hpp"
#include "tests/tuner/support/planted_template.hpp"
#include "tuner/measure/calibration.hpp"
#include "tuner/measure/statistics.hpp"
#include "tuner/measure/timer.hpp"

namespace warptune::tuner {
namespace {

class GpuMeasure : public test::GpuFixture {
 protected:
  double planted_ns(std::int64_t n, const std::string& policy) {
    DeviceEvaluatorOptions options;
    options.policy = policy;
    options.ceilings = Ceilings{1, 1, 1};
    options.stream = stream_->get();
    const spec::Instance instance(test::planted_template(), test::planted_problem(n), device_->info().traits);
    const auto evaluator = make_device_evaluator(device_, builder_, instance, options);
    std::vector<double> blocks;
    for (int i = 0; i < 9; ++i) blocks.push_back(evaluator->time_block(test::planted_config("right")));
    return median(blocks);
  }

  Timer plain_timer() {
    Feed feed;
    watch_.emplace(*device_, *helpers_, stream_->get());
    feed.watch = &*watch_;
    return Timer(*device_, stream_->get(), feed);
  }

  std::optional<BlockWatch> watch_;
};

TEST_F(GpuMeasure, CalibrationIsPlausible) {
  const std::map<std::string, double> figures =
      measure_calibration(*device_, *helpers_, stream_->get(), nullptr);
  EXPECT_GT(figures.at("event_tick_ns"), 0);
  EXPECT_LE(figures.at("event_tick_ns"), 2000);
  EXPECT_GT(figures.at("empty_kernel_cadence_ns"), 100);
  EXPECT_LT(figures.at("empty_kernel_cadence_ns"), 10'000);
  EXPECT_GT(figures.at("read_ceiling_bytes_per_s"), 50e9);
  EXPECT_LT(figures.at("read_ceiling_bytes_per_s"), 20e12);
}

TEST_F(GpuMeasure, KnownWaitIsMeasuredAsSuch) {
  Timer timer = plain_timer();
  TimedGraph graph =
      timer.capture([&](std::size_t, runtime::StreamHandle on) { helpers_->wait(100'000, on); }, 16);
  timer.time_block(graph);
  // The wait ends at the first look at the clock past its time, so it is never shorter.
  const double time_ns = timer.time_block(graph);
  EXPECT_GE(time_ns, 100'000 * 0.99);
  EXPECT_LE(time_ns, 110'000);
}

// Graphs of two lengths, alternating as in a race: a wait for the host inside the span would show in the longer one.
TEST_F(GpuMeasure, AlternatingGraphsRepeat) {
  Timer timer = plain_timer();
  const auto wait = [&](std::size_t, runtime::StreamHandle on) { helpers_->wait(2000, on); };
  TimedGraph few = timer.capture(wait, 100), many = timer.capture(wait, 600);
  std::vector<double> few_ns, many_ns;
  for (int i = 0; i < 20; ++i) {
    few_ns.push_back(timer.time_block(few));
    many_ns.push_back(timer.time_block(many));
  }
  EXPECT_NEAR(median(few_ns) / median(many_ns), 1.0, 0.03);
  EXPECT_LT(quantile(many_ns, 0.9) / median(many_ns), 1.03);
}

TEST_F(GpuMeasure, ColdIsSlowerThanHotWhereTheCacheWouldHelp) {
  // 16 MB in and out together: inside any L2 that this is run on, and long enough to be bound by memory.
  const double cold_ns = planted_ns(1 << 21, "cold");
  const double hot_ns = planted_ns(1 << 21, "hot");
  EXPECT_GT(cold_ns, 1.1 * hot_ns);
}

TEST_F(GpuMeasure, RepeatsWithinAPercent) {
  const double first_ns = planted_ns(1 << 22, "cold");
  const double second_ns = planted_ns(1 << 22, "cold");
  EXPECT_NEAR(first_ns / second_ns, 1.0, 0.02);
}

}  // namespace
}  // namespace warptune::tuner
