// What watches of spans tell, which rounds of a run hold, and what memory gives to a mix of reads and writes.
#include <gtest/gtest.h>

#include <vector>

#include <warptune/tuner/ceilings.hpp>

#include "tuner/measure/block_watch.hpp"
#include "tuner/measure/conditions_log.hpp"

namespace warptune::tuner {
namespace {

// A span of `ns` at `mhz` on multiprocessor 3.
device::SpanWatch span(double mhz, device::Word64 ns = 1'000'000, device::Word64 stall_ns = 100) {
  const auto cycles = static_cast<device::Word64>(mhz * static_cast<double>(ns) / 1e3);
  return {1, {5'000, 1'000, 3}, {5'000 + ns, 1'000 + cycles, 3}, stall_ns};
}

TEST(SpanWatch, ClockIsCyclesOverTime) {
  const Conditions seen = conditions_of({span(1980), span(1500), span(1965)});
  ASSERT_TRUE(seen.clock);
  EXPECT_NEAR(seen.clock->lowest_mhz, 1500, 0.01);
  EXPECT_NEAR(seen.clock->median_mhz, 1965, 0.01);
  EXPECT_NEAR(seen.clock->highest_mhz, 1980, 0.01);
  EXPECT_EQ(seen.longest_stall_ns, 100);
}

TEST(SpanWatch, HalvesThatDoNotBelongTogetherTellNoClockButAStall) {
  device::SpanWatch elsewhere = span(1980);
  elsewhere.after.sm = 4;
  device::SpanWatch unfinished = span(1980);
  unfinished.after = {0, 0, 3};
  const Conditions seen = conditions_of({elsewhere, unfinished, span(1980, 100'000, 2'000'000)});
  EXPECT_FALSE(seen.clock) << "the third is too short for a timer of a microsecond";
  EXPECT_EQ(seen.longest_stall_ns, 2'000'000);
  EXPECT_EQ(conditions_of({}), Conditions{});
}

// The device's clock is 7 s ahead and gains 10 us a second. Work is met 5 us after it was handed over, its end heard of after 8 us.
class ArrivalDelaysTest : public ::testing::Test {
 protected:
  static std::int64_t device_clock(std::int64_t host_ns) {
    return host_ns + 7'000'000'000 + host_ns / 100'000;
  }
  // Work of 1 ms, kept waiting for `kept_ns`.
  double span(std::int64_t at_ns, std::int64_t kept_ns, std::int64_t heard_after_ns = 8'000) {
    const std::int64_t begins_ns = at_ns + 5'000 + kept_ns, ends_ns = begins_ns + 1'000'000;
    delays_.ended(device_clock(ends_ns), ends_ns + heard_after_ns);
    return delays_.arrived(at_ns, device_clock(begins_ns));
  }
  ArrivalDelays delays_;
};

TEST_F(ArrivalDelaysTest, TheDelayIsKnownToWithinTheTimeOfHearing) {
  EXPECT_NEAR(span(0, 0), 5'000 + 8'000, 100);
  EXPECT_NEAR(span(10'000'000, 1'900'000), 1'913'000, 200) << "a time slice of another process";
}

// Another process that always computes for as long keeps each span waiting alike: no difference between spans would show it.
TEST_F(ArrivalDelaysTest, EqualDelaysAreSeenToo) {
  for (std::int64_t i = 0; i < 20; ++i) EXPECT_NEAR(span(i * 5'000'000, 500'000), 513'000, 2'000) << i;
}

TEST_F(ArrivalDelaysTest, LateHearingAndDriftingClocksAreNoDelay) {
  EXPECT_LT(span(0, 0), 20'000);
  EXPECT_LT(span(10'000'000, 0, 3'000'000), 20'000) << "the host was busy elsewhere";
  EXPECT_LT(span(60'000'000'000, 0), 20'000) << "600 us further apart than a minute ago";
}

Conditions quiet(double mhz = 1980) {
  Conditions seen;
  seen.clock = Conditions::Clock{mhz, mhz, mhz};
  seen.longest_stall_ns = 200;
  seen.temperature_c = 41;
  return seen;
}

TEST(ConditionsLog, QuietRoundsHold) {
  ConditionsLog log;
  EXPECT_TRUE(log.add_round({})) << "a device that tells nothing speaks against nothing";
  EXPECT_TRUE(log.figures().empty());
  EXPECT_TRUE(log.add_round(quiet(1980)));
  EXPECT_TRUE(log.add_round(quiet(1960)));
  const std::map<std::string, double> expected = {{"sm_mhz_median", 1970},
                                                  {"sm_mhz_lowest", 1960},
                                                  {"sm_mhz_highest", 1980},
                                                  {"longest_stall_us", 0.2},
                                                  {"temperature_c_highest", 41}};
  EXPECT_EQ(log.figures(), expected);
  EXPECT_EQ(disturbance_text(log.figures()), "");
}

TEST(ConditionsLog, EachReasonSpeaksAgainstTheRound) {
  ConditionsLog log;
  EXPECT_TRUE(log.add_round(quiet()));
  Conditions shared = quiet();
  shared.longest_stall_ns = 1'500'000;
  EXPECT_FALSE(log.add_round(shared));
  Conditions hot = quiet();
  hot.slowdown_reasons = 0x40;
  EXPECT_FALSE(log.add_round(hot));
  Conditions uneven = quiet();
  uneven.clock->lowest_mhz = 1900;  // 4 % below
  EXPECT_FALSE(log.add_round(uneven));
  EXPECT_TRUE(log.add_round(quiet()));
  EXPECT_EQ(log.figures().at("contended_rounds"), 1);
  EXPECT_EQ(log.figures().at("throttled_rounds"), 1);
  EXPECT_EQ(log.figures().at("slowed_rounds"), 1);
  EXPECT_EQ(disturbance_text(log.figures()),
            "another process computed on the GPU in 1 round, the driver slowed the card (power or heat) in 1 "
            "round, the clock fell in 1 round");
}

// A card that has become warm keeps its lower clock: rounds are compared with those just before, not for ever with the first.
TEST(ConditionsLog, AClockThatSettlesLowerBecomesTheUsualOne) {
  ConditionsLog log;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(log.add_round(quiet(1980)));
  int fallen = 0;
  for (int i = 0; i < 10; ++i) fallen += !log.add_round(quiet(1800));
  EXPECT_EQ(fallen, 5) << "as long as one of the five rounds before ran at 1980";
}

TEST(Ceilings, MixesLieBetweenTheMeasuredRates) {
  const Ceilings ceilings{4e12, 2e12, 3e12};
  EXPECT_DOUBLE_EQ(limit_bytes_per_s(ceilings, 0), 4e12);
  EXPECT_DOUBLE_EQ(limit_bytes_per_s(ceilings, 0.5), 3e12);
  EXPECT_DOUBLE_EQ(limit_bytes_per_s(ceilings, 1), 2e12);
  // Half way between reading and copying a byte takes (1/4 + 1/3) / 2 = 7/24 ps.
  EXPECT_NEAR(limit_bytes_per_s(ceilings, 0.25), 24e12 / 7, 1);
  EXPECT_NEAR(limit_bytes_per_s(ceilings, 0.75), 2.4e12, 1);  // (1/3 + 1/2) / 2 = 5/12
}

}  // namespace
}  // namespace warptune::tuner
