// Whole runs: read back as they were written, offered to other files, removed.
#include <gtest/gtest.h>

#include "db/sqlite/open.hpp"
#include "tests/db/support.hpp"

namespace warptune::db {
namespace {

using namespace test;

std::vector<StoredRun> runs_of(const Store& store, RunParts parts = RunParts::all) {
  std::vector<StoredRun> runs;
  store.visit_runs({}, parts, [&](const StoredRun& run) { runs.push_back(run); });
  return runs;
}

class RunsTest : public testing::Test {
 protected:
  RunsTest() { make_sample(file_); }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "tuning.db";
};

TEST_F(RunsTest, AreReadAsTheyWereWritten) {
  const auto runs = runs_of(Store::open(file_, OpenMode::read_only));
  ASSERT_EQ(runs.size(), 1U);
  const StoredRun& run = runs[0];
  EXPECT_EQ(run.problem, sample_problem());
  EXPECT_EQ(run.info.uid.size(), 32U);
  EXPECT_EQ(run.info.seed, 0xfedcba9876543210U);
  EXPECT_EQ(run.info.strategy, "exhaustive");
  EXPECT_EQ(run.info.command, "warptune tune dot");
  EXPECT_EQ(run.info.toolchain, sample_toolchain());
  EXPECT_EQ(run.info.template_parts, sample_run().template_parts);
  ASSERT_TRUE(run.ended_unix_s.has_value());
  EXPECT_EQ(run.end.space_size, 720);
  EXPECT_EQ(run.end.phase_s.at("compile"), 4.5);
  EXPECT_EQ(run.end.clocks.at("sm_mhz_median"), 1980.0);
  ASSERT_EQ(run.outcomes.size(), 2U);
  EXPECT_EQ(run.outcomes[0].blocks_ns, sample_outcome().blocks_ns);
  EXPECT_EQ(run.outcomes[1].status, "wrong_result");
  ASSERT_EQ(run.winners.size(), 1U);
  EXPECT_EQ(run.winners[0].default_time_ns, 30000);
  EXPECT_TRUE(runs_of(Store::open(file_, OpenMode::read_only), RunParts::head)[0].outcomes.empty());
}

TEST_F(RunsTest, OneIsReadByItsRow) {
  {
    Store store = Store::open(file_, OpenMode::read_write);
    const std::int64_t second = store.begin_run(sample_problem(5), sample_run());
    store.add_outcome(second, sample_outcome(64));
  }
  const Store store = Store::open(file_, OpenMode::read_only);
  const auto first = store.run(1), second = store.run(2);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->problem, sample_problem());
  EXPECT_EQ(first->outcomes.size(), 2U);
  EXPECT_EQ(first->winners.size(), 1U);
  EXPECT_EQ(first->info.template_parts, sample_run().template_parts);
  EXPECT_EQ(second->problem, sample_problem(5));
  ASSERT_EQ(second->outcomes.size(), 1U);
  EXPECT_EQ(second->outcomes[0].config, sample_config(64));
  EXPECT_FALSE(store.run(3));
}

TEST_F(RunsTest, TheHeadOfOneComesWithoutWhatHasManyRows) {
  const Store store = Store::open(file_, OpenMode::read_only);
  const auto head = store.run(1, RunParts::head);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->problem, sample_problem());
  EXPECT_EQ(head->end.clocks.at("sm_mhz_median"), 1980.0);
  EXPECT_EQ(head->winners.size(), 1U);
  EXPECT_TRUE(head->outcomes.empty());
  EXPECT_TRUE(head->neighbours.empty());
  EXPECT_TRUE(head->info.template_parts.empty());
  EXPECT_FALSE(store.run(2, RunParts::head));
}

// Also where it was killed, and in other files.
TEST_F(RunsTest, WhatIsKnownBeforehandIsStoredBeforehand) {
  RunInfo info = sample_run();
  info.marks = {{"callers_operands", 1}};
  Store store = Store::open(file_, OpenMode::read_write);
  const std::int64_t run = store.begin_run(sample_problem(), info);
  EXPECT_TRUE(store.run(run)->is_marked("callers_operands"));
  EXPECT_FALSE(store.run(run)->is_marked("shared_gpu"));
  EXPECT_FALSE(store.run(1)->is_marked("callers_operands"));
  Store other = Store::open(folder_ / "other.db", OpenMode::create);
  other.merge(store);
  EXPECT_EQ(other.run(2)->info.marks, info.marks);
  RunEnd end = sample_end();
  end.clocks = {{"callers_operands", 1}, {"rounds", 9}};
  store.end_run(run, end, {});
  EXPECT_EQ(store.run(run)->end.clocks, end.clocks);
  EXPECT_TRUE(store.run(run)->info.marks.empty());
  EXPECT_TRUE(store.run(run, RunParts::head)->is_marked("callers_operands"));
  other.merge(store);
  EXPECT_EQ(other.run(2)->end.clocks, end.clocks);
}

TEST_F(RunsTest, AreAddedOnceHoweverOftenTheyAreOffered) {
  const auto runs = runs_of(Store::open(file_, OpenMode::read_only));
  Store other = Store::open(folder_ / "other.db", OpenMode::create);
  EXPECT_EQ(other.add_run(runs[0]), Added::added);
  EXPECT_EQ(other.add_run(runs[0]), Added::known);
  EXPECT_EQ(other.outcome_total(), 2);
  const auto winners = other.winners();
  ASSERT_EQ(winners.size(), 1U);
  EXPECT_EQ(winners[0].winner.config, sample_config(256));
  EXPECT_EQ(winners[0].at_unix_s, *runs[0].ended_unix_s) << "its age must not become young";
  EXPECT_EQ(runs_of(other)[0].info.uid, runs[0].info.uid);
}

TEST_F(RunsTest, ARunThatWasCutShortIsCompleted) {
  StoredRun whole = runs_of(Store::open(file_, OpenMode::read_only))[0];
  StoredRun part = whole;
  part.outcomes.pop_back();
  part.ended_unix_s.reset();
  part.winners.clear();
  Store other = Store::open(folder_ / "other.db", OpenMode::create);
  EXPECT_EQ(other.add_run(part), Added::added);
  EXPECT_TRUE(other.winners().empty());
  EXPECT_EQ(other.add_run(part), Added::known);
  EXPECT_EQ(other.add_run(whole), Added::completed);
  EXPECT_EQ(other.outcome_total(), 2);
  EXPECT_EQ(other.winners().size(), 1U);
}

// As it comes by way of a bundle, or out of a document from before neighbours were timed.
TEST_F(RunsTest, AnEndedRunWithoutOutcomesOrNeighboursGetsThem) {
  make_sample(folder_ / "whole.db");
  const StoredRun whole = Store::open(folder_ / "whole.db", OpenMode::read_only).run(1).value();
  StoredRun bare = whole;
  bare.outcomes.clear();
  bare.neighbours.clear();
  Store store = Store::open(folder_ / "to.db", OpenMode::create);
  EXPECT_EQ(store.add_run(bare), Added::added);
  EXPECT_EQ(store.add_run(bare), Added::known);
  EXPECT_EQ(store.add_run(whole), Added::completed);
  EXPECT_EQ(store.outcome_total(), 2);
  EXPECT_EQ(store.neighbour_times(1), sample_neighbours());
  EXPECT_EQ(store.winners().size(), 1U);
  EXPECT_EQ(store.add_run(whole), Added::known);
  EXPECT_EQ(store.outcome_total(), 2);
}

TEST_F(RunsTest, OneUidOfTwoProblemsIsTwoRuns) {
  StoredRun run = runs_of(Store::open(file_, OpenMode::read_only))[0];
  Store other = Store::open(folder_ / "other.db", OpenMode::create);
  other.add_run(run);
  run.problem.device.model = "NVIDIA A100";
  EXPECT_EQ(other.add_run(run), Added::added);
  EXPECT_EQ(other.add_run(run), Added::known);
  EXPECT_EQ(other.winners().size(), 2U);
}

TEST_F(RunsTest, RefusedRunsLeaveNothing) {
  const StoredRun run = runs_of(Store::open(file_, OpenMode::read_only))[0];
  Store other = Store::open(folder_ / "other.db", OpenMode::create);
  StoredRun bad = run;
  bad.winners[0].time_ns = -1;
  EXPECT_THROW(other.add_run(bad), Error);
  bad = run;
  bad.outcomes[1].alignment_bytes = 3;
  EXPECT_THROW(other.add_run(bad), Error);
  bad = run;
  bad.info.uid.clear();
  EXPECT_THROW(other.add_run(bad), Error);
  EXPECT_EQ(other.contents().runs, 0);
  EXPECT_EQ(other.contents().problems, 0);
}

TEST_F(RunsTest, RemovedRunsTakeAlongWhatOnlyTheyHeld) {
  Store store = Store::open(file_, OpenMode::read_write);
  ProblemKey second = sample_problem(1024);
  second.device.model = "NVIDIA A100";
  const std::int64_t other = store.begin_run(second, sample_run());
  store.add_outcome(other, sample_outcome(64));
  store.end_run(other, sample_end(), {sample_winner(64)});
  const RemoveReport planned = Store::open(file_, OpenMode::read_only).remove_runs({other, 77}, true);
  EXPECT_EQ(store.winners().size(), 2U) << "a dry run changes nothing";
  const RemoveReport removed = store.remove_runs({other}, false);
  EXPECT_EQ(removed.runs, 1);
  EXPECT_EQ(removed.outcomes, 1);
  EXPECT_EQ(removed.winners, 1);
  EXPECT_EQ(removed.problems, 1);
  EXPECT_EQ(removed.devices, 1);
  EXPECT_EQ(std::tie(planned.runs, planned.outcomes, planned.winners, planned.problems, planned.devices),
            std::tie(removed.runs, removed.outcomes, removed.winners, removed.problems, removed.devices));
  EXPECT_EQ(store.winners().size(), 1U);
  EXPECT_EQ(store.outcome_total(), 2);
  store.shrink();
  EXPECT_TRUE(store.integrity_ok());
}

TEST_F(RunsTest, ADryRunLeavesAnOlderFileAsItIs) {
  const auto old = folder_ / "old.db";
  std::filesystem::copy_file(std::filesystem::path(WARPTUNE_GOLDEN_FOLDER) / "schema_v1.db", old);
  const RemoveReport planned = Store::open(old, OpenMode::read_only).remove_runs({1}, true);
  EXPECT_EQ(planned.runs, 1);
  EXPECT_EQ(planned.outcomes, 2);
  EXPECT_EQ(planned.problems, 1);
  EXPECT_EQ(planned.devices, 0) << "its calibration stays";
  EXPECT_EQ(Store::open(old, OpenMode::read_only).schema_version(), 1);
}

TEST_F(RunsTest, TheNextBestIsCurrentAfterTheWinnersRunIsRemoved) {
  Store store = Store::open(file_, OpenMode::read_write);
  const std::int64_t newer = store.begin_run(sample_problem(), sample_run());
  store.end_run(newer, sample_end(), {sample_winner(64)});
  ASSERT_EQ(store.winners()[0].winner.config, sample_config(64));
  store.remove_runs({newer}, false);
  ASSERT_EQ(store.winners().size(), 1U);
  EXPECT_EQ(store.winners()[0].winner.config, sample_config(256));
}

TEST_F(RunsTest, ContentsCountsAndDates) {
  const Contents contents = Store::open(file_, OpenMode::read_only).contents();
  EXPECT_EQ(contents.bytes, static_cast<std::int64_t>(std::filesystem::file_size(file_)));
  EXPECT_EQ(contents.devices, 1);
  EXPECT_EQ(contents.problems, 1);
  EXPECT_EQ(contents.runs, 1);
  EXPECT_EQ(contents.outcomes, 2);
  EXPECT_EQ(contents.winners, 1);
  EXPECT_EQ(contents.oldest_unix_s, 1'700'000'000);
  EXPECT_EQ(contents.newest_unix_s, 1'700'000'000);
  EXPECT_FALSE(Store::open(folder_ / "new.db", OpenMode::create).contents().newest_unix_s.has_value());
}

TEST_F(RunsTest, UnreadableRunsAndOutcomesAreLeftOut) {
  sqlite::Connection(file_, sqlite::Access::read_write)
      .execute(
          "UPDATE outcome SET config = '{' WHERE id = 1; INSERT INTO run (uid, problem, toolchain, origin, "
          "strategy, seed, command, started_unix_s, ended_unix_s) VALUES ('x', 1, 1, 'measured', 's', 1, "
          "'c', 1, 2)");
  const Store store = Store::open(file_, OpenMode::read_only);
  const auto runs = runs_of(store);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].outcomes.size(), 1U);
  EXPECT_EQ(store.faults().size(), 2U);
}

}  // namespace
}  // namespace warptune::db
