// Merging: everything is kept once, whatever the GPU and the version; disagreements are said.
#include <gtest/gtest.h>

#include "db/sqlite/open.hpp"
#include "tests/db/support.hpp"

namespace warptune::db {
namespace {

using namespace test;
namespace fs = std::filesystem;

struct Tuned {
  ProblemKey problem = sample_problem();
  std::int64_t threads = 256;
  bool certified = false, complete = true;
  Origin origin = Origin::measured;
};

void tune(const fs::path& file, const Tuned& tuned) {
  Store store = Store::open(file, OpenMode::create);
  RunInfo info = sample_run();
  info.origin = tuned.origin;
  const std::int64_t run = store.begin_run(tuned.problem, info);
  store.add_outcome(run, sample_outcome(tuned.threads));
  WinnerRecord winner = sample_winner(tuned.threads);
  winner.certified = tuned.certified;
  winner.complete = tuned.complete;
  store.end_run(run, sample_end(), {winner});
}

class MergeTest : public testing::Test {
 protected:
  MergeReport merge() {
    Store into = Store::open(all_, OpenMode::create);
    return into.merge(Store::open(a_, OpenMode::read_only));
  }
  TemporaryFolder folder_;
  fs::path a_ = folder_ / "a.db", all_ = folder_ / "all.db";
};

TEST_F(MergeTest, FilesOfTwoGpusAreBothKeptAndTwiceIsOnce) {
  Tuned other;
  other.problem.device.model = "NVIDIA A100";
  tune(a_, {});
  tune(all_, other);
  const MergeReport first = merge();
  EXPECT_EQ(first.runs_added, 1);
  EXPECT_EQ(first.outcomes_added, 1);
  EXPECT_TRUE(first.conflicts.empty());
  const MergeReport second = merge();
  EXPECT_EQ(second.runs_added, 0);
  EXPECT_EQ(second.runs_known, 1);
  EXPECT_EQ(second.outcomes_added, 0);
  const Store store = Store::open(all_, OpenMode::read_only);
  EXPECT_EQ(store.winners().size(), 2U);
  EXPECT_EQ(store.winners(sample_device()).size(), 1U);
  EXPECT_TRUE(store.integrity_ok());
}

TEST_F(MergeTest, ConflictsFollowTheOrderOfWinnersAndAreReported) {
  // The certified winner in the file stays although the other is stored later.
  Tuned certified;
  certified.certified = true;
  tune(all_, certified);
  Tuned weaker;
  weaker.threads = 64;
  tune(a_, weaker);
  const MergeReport report = merge();
  ASSERT_EQ(report.conflicts.size(), 1U);
  EXPECT_EQ(report.conflicts[0].problem, sample_problem());
  EXPECT_EQ(report.conflicts[0].kept, sample_config(256));
  EXPECT_EQ(report.conflicts[0].passed_over, sample_config(64));
  EXPECT_FALSE(report.conflicts[0].kept_other);
  EXPECT_EQ(report.conflicts[0].because, "certified");
  EXPECT_EQ(Store::open(all_, OpenMode::read_only).winners().at(0).winner.config, sample_config(256));
}

TEST_F(MergeTest, ABetterWinnerFromElsewhereTakesOver) {
  Tuned partial;
  partial.complete = false;
  tune(all_, partial);
  Tuned complete;
  complete.threads = 64;
  tune(a_, complete);
  const MergeReport report = merge();
  ASSERT_EQ(report.conflicts.size(), 1U);
  EXPECT_TRUE(report.conflicts[0].kept_other);
  EXPECT_EQ(report.conflicts[0].kept, sample_config(64));
  EXPECT_EQ(report.conflicts[0].because, "from a complete run");
}

TEST_F(MergeTest, ReplayedRunsStayBehind) {
  Tuned replayed;
  replayed.origin = Origin::replayed;
  tune(a_, replayed);
  const MergeReport report = merge();
  EXPECT_EQ(report.runs_replayed, 1);
  EXPECT_EQ(report.runs_added, 0);
  EXPECT_TRUE(Store::open(all_, OpenMode::read_only).winners().empty());
}

TEST_F(MergeTest, AFileOfVersionOneAndItsMigratedCopyAreTheSameRuns) {
  fs::copy_file(fs::path(WARPTUNE_GOLDEN_FOLDER) / "schema_v1.db", a_);
  fs::permissions(a_, fs::perms{0444});
  EXPECT_EQ(merge().runs_added, 1);
  ASSERT_EQ(Store::open(a_, OpenMode::read_only).schema_version(), 1);
  fs::permissions(a_, fs::perms{0644});
  { Store::open(a_, OpenMode::read_write); }
  const MergeReport report = merge();
  EXPECT_EQ(report.runs_known, 1);
  EXPECT_EQ(report.outcomes_added, 0);
}

TEST_F(MergeTest, CalibrationsAndLibraryTimesComeAlong) {
  {
    Store store = Store::open(a_, OpenMode::create);
    store.set_calibration({sample_device(), {{"event_tick_ns", 32.0}}, 1'700'000'000});
    store.add_reference_time(sample_reference_time());
  }
  MergeReport report = merge();
  EXPECT_EQ(report.calibrations_added, 1);
  EXPECT_EQ(report.reference_times_added, 1);
  report = merge();
  EXPECT_EQ(report.calibrations_added, 0);
  EXPECT_EQ(report.reference_times_added, 0);
  const Store store = Store::open(all_, OpenMode::read_only);
  EXPECT_EQ(store.calibration(sample_device())->figures.at("event_tick_ns"), 32.0);
  EXPECT_EQ(store.reference_times().size(), 1U);
}

TEST_F(MergeTest, UnreadableRowsAreLeftBehindAndReported) {
  tune(a_, {});
  tune(a_, {});
  sqlite::Connection(a_, sqlite::Access::read_write).execute("UPDATE outcome SET config = '[]' WHERE id = 2");
  Store into = Store::open(all_, OpenMode::create);
  const Store from = Store::open(a_, OpenMode::read_only);
  EXPECT_EQ(into.merge(from).outcomes_added, 1);
  EXPECT_EQ(from.faults().size(), 1U);
}

}  // namespace
}  // namespace warptune::db
