// Times of other libraries, template parts and the identity of runs: what schema versions 2 and 3 brought.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/db/support.hpp"

namespace warptune::db {
namespace {

using namespace test;

class ReferenceTimesTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "tuning.db";
  Store store_ = Store::open(file_, OpenMode::create);
};

TEST_F(ReferenceTimesTest, ReadsBackWhatWasAdded) {
  const ReferenceTime added = sample_reference_time();
  store_.add_reference_time(added);
  const auto times = Store::open(file_, OpenMode::read_only).reference_times("dot");
  ASSERT_EQ(times.size(), 1U);
  const ReferenceTime& read = times[0];
  EXPECT_EQ(read.kernel, "dot");
  EXPECT_EQ(read.types, added.types);
  EXPECT_EQ(read.dims, added.dims);
  EXPECT_EQ(read.attributes, added.attributes);
  EXPECT_EQ(read.device, added.device);
  EXPECT_EQ(read.policy, "cold");
  EXPECT_EQ(read.library, "cuBLAS");
  EXPECT_EQ(read.call, "cublasDotEx");
  EXPECT_EQ(read.library_version, "13.1.0");
  EXPECT_EQ(read.toolchain, added.toolchain);
  EXPECT_EQ(read.time_ns, 25000);
  EXPECT_EQ(read.interval_low_ns, 24900);
  EXPECT_EQ(read.interval_high_ns, 25100);
  EXPECT_EQ(read.samples, 20);
  EXPECT_EQ(read.at_unix_s, 1'700'000'100);
  ASSERT_TRUE(read.beside);
  EXPECT_EQ(read.beside->config, sample_config(256));
  EXPECT_EQ(read.beside->time_ns, 20500);
  EXPECT_EQ(read.beside->speedup, 1.21);
  EXPECT_TRUE(store_.reference_times("other").empty());
}

TEST_F(ReferenceTimesTest, TheNewestCountsPerCall) {
  ReferenceTime time = sample_reference_time();
  store_.add_reference_time(time);
  time.at_unix_s += 10;
  time.library_version = "13.2.0";
  time.time_ns = 24000;
  store_.add_reference_time(time);
  time.at_unix_s -= 20;  // measured before, added later
  time.time_ns = 1;
  store_.add_reference_time(time);
  time.call = "cublasGemmEx";
  time.time_ns = 90000;
  store_.add_reference_time(time);
  const auto times = store_.reference_times();
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].time_ns, 24000);
  EXPECT_EQ(times[0].library_version, "13.2.0");
  EXPECT_EQ(times[1].call, "cublasGemmEx");
}

TEST_F(ReferenceTimesTest, OursMayHaveTakenNoPart) {
  ReferenceTime time = sample_reference_time();
  store_.add_reference_time(time);
  time.beside.reset();
  store_.add_reference_time(time);  // of the same second: replaced
  const auto times = store_.reference_times();
  ASSERT_EQ(times.size(), 1U);
  EXPECT_FALSE(times[0].beside);
}

TEST_F(ReferenceTimesTest, RefusesWhatIsNoTime) {
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    ReferenceTime time = sample_reference_time();
    time.time_ns = bad;
    EXPECT_THROW(store_.add_reference_time(time), Error) << bad;
    time = sample_reference_time();
    time.beside->speedup = bad;
    EXPECT_THROW(store_.add_reference_time(time), Error) << bad;
  }
  EXPECT_TRUE(store_.reference_times().empty());
}

TEST_F(ReferenceTimesTest, PartsOfATemplateAreKeptPerHash) {
  RunInfo info = sample_run();
  store_.begin_run(sample_problem(), info);
  info.template_parts = {{"dot.cu", "other"}};
  ProblemKey changed = sample_problem();
  changed.template_hash = "ffff";
  store_.begin_run(changed, info);
  EXPECT_THAT(store_.template_parts(sample_problem().template_hash),
              testing::ElementsAre(testing::Pair("dot.cu", "11"), testing::Pair("manifest: step", "22")));
  EXPECT_THAT(store_.template_parts("ffff"), testing::ElementsAre(testing::Pair("dot.cu", "other")));
  EXPECT_TRUE(store_.template_parts("unknown").empty());
}

TEST_F(ReferenceTimesTest, WhoCertifiedIsPartOfAWinner) {
  WinnerRecord winner = sample_winner();
  winner.certified = true;
  winner.certified_by = "race";
  store_.end_run(store_.begin_run(sample_problem(), sample_run()), sample_end(), {winner});
  EXPECT_EQ(store_.winners().at(0).winner.certified_by, "race");
}

TEST_F(ReferenceTimesTest, ARunIsStoredOnceUnderItsUid) {
  RunInfo info = sample_run();
  info.uid = "one";
  store_.begin_run(sample_problem(), info);
  EXPECT_THROW(store_.begin_run(sample_problem(), info), Error);
}

}  // namespace
}  // namespace warptune::db
