// What times at neighbouring problems change about a selection: expected loss, and which config comes first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include <warptune/runtime/selection.hpp>

#include "tests/runtime/dispatch_fixture.hpp"

namespace warptune::testing {
namespace {

using runtime::Match;
using runtime::Ranking;
using runtime::Selection;
using ::testing::HasSubstr;

const db::NamedValues winner = tally_config(128, 1, "one");
const db::NamedValues other = tally_config(256, 1, "one");
const db::NamedValues fallback = tally_config(64, 1, "one");

db::NeighbourTime timed(std::int64_t n, const db::NamedValues& config, double time_ns) {
  return {{{"n", n}}, config, time_ns, 12};
}

using TimesOfRuns = std::map<std::int64_t, std::vector<db::NeighbourTime>>;

Ranking rank_rows(std::int64_t n, const std::vector<db::StoredWinner>& rows, const TimesOfRuns& times,
                  std::int64_t alignment) {
  spec::Problem problem;
  problem.types = {{"T", "float"}};
  problem.dims = {{"n", 1}, {"k", 1}};
  const runtime::Selector selector(
      spec::Instance(tally(), problem, stub_traits()), {}, rows, [&](std::int64_t run) {
        const auto found = times.find(run);
        return found == times.end() ? std::vector<db::NeighbourTime>() : found->second;
      });
  return selector.rank({{"n", n}, {"k", 1}}, alignment, rows.front().toolchain);
}

// One record, tuned at n = 1024 by run 7, and what that run timed.
Ranking rank(std::int64_t n, const std::vector<db::NeighbourTime>& times, std::int64_t alignment = 16,
             const db::NamedValues& won = winner) {
  db::StoredWinner row = tally_winner({.config = won});
  row.run = 7;
  return rank_rows(n, {row}, {{7, times}}, alignment);
}
Selection first(const Ranking& ranking) { return ranking.candidates.front().selection; }

TEST(Neighbours, WithoutThemNothingIsExpected) {
  const Selection selection = first(rank(1500, {}));
  EXPECT_EQ(selection.match, Match::nearest);
  EXPECT_FALSE(selection.expected_loss.has_value());
  EXPECT_EQ(first(rank(1024, {})).expected_loss, 0);  // it won there
  EXPECT_FALSE(first(rank(100'000, {})).expected_loss.has_value());
}

TEST(Neighbours, TheRecordsOwnConfigStaysWhereItLosesLittle) {
  const Selection selection =
      first(rank(1500, {timed(2048, winner, 1005), timed(2048, other, 1000), timed(2048, fallback, 1300)}));
  EXPECT_EQ(selection.config, "BLOCK=128 PACK=1 MODE=one");
  EXPECT_NEAR(selection.expected_loss.value_or(-1), 0.005, 1e-12);
}

TEST(Neighbours, AFasterOneComesFirst) {
  const Ranking ranking =
      rank(1500, {timed(2048, winner, 1100), timed(2048, other, 1000), timed(2048, fallback, 1300)});
  ASSERT_EQ(ranking.candidates.size(), 3U);
  EXPECT_EQ(first(ranking).match, Match::nearest);
  EXPECT_EQ(first(ranking).config, "BLOCK=256 PACK=1 MODE=one");
  EXPECT_EQ(first(ranking).expected_loss, 0);
  EXPECT_THAT(first(ranking).reason, HasSubstr("10.0 % faster than the record's at n=2048"));
  EXPECT_EQ(ranking.candidates[1].selection.config, "BLOCK=128 PACK=1 MODE=one");
  EXPECT_NEAR(ranking.candidates[1].selection.expected_loss.value_or(-1), 0.1, 1e-12);
}

TEST(Neighbours, WhereTheDefaultWasFasterTheRecordIsNotUsed) {
  const Ranking ranking =
      rank(1500, {timed(2048, winner, 1100), timed(2048, other, 1050), timed(2048, fallback, 1000)});
  ASSERT_EQ(ranking.candidates.size(), 1U);
  EXPECT_EQ(first(ranking).match, Match::default_config);
  EXPECT_EQ(first(ranking).expected_loss, 0);
  EXPECT_THAT(first(ranking).reason, HasSubstr("the default was 10.0 % faster"));
}

TEST(Neighbours, TheLeastUnlikeOneDecides) {
  const std::vector<db::NeighbourTime> times = {timed(512, winner, 100), timed(512, other, 99.5),
                                                timed(2048, winner, 1100), timed(2048, other, 1000)};
  EXPECT_EQ(first(rank(700, times)).config,
            "BLOCK=128 PACK=1 MODE=one");  // 0.45 octaves beyond 512, more than one below 2048
  EXPECT_EQ(first(rank(1500, times)).config, "BLOCK=256 PACK=1 MODE=one");  // 1.55 and 0.45
  const std::vector<db::NeighbourTime> both = {timed(1536, winner, 1000), timed(1536, other, 1100),
                                               timed(2048, winner, 1100), timed(2048, other, 1000)};
  // 1536 counts four times as far where it is the smaller one: 1536 * (2048 / 1536)^(1/5) = 1626.9.
  EXPECT_EQ(first(rank(1100, both)).config, "BLOCK=128 PACK=1 MODE=one");
  EXPECT_EQ(first(rank(1626, both)).config, "BLOCK=128 PACK=1 MODE=one");
  EXPECT_EQ(first(rank(1627, both)).config, "BLOCK=256 PACK=1 MODE=one");
  EXPECT_EQ(first(rank(1024, times)).config, "BLOCK=128 PACK=1 MODE=one");  // tuned: nothing overrules it
}

// At its own dims nothing was faster than the winner: at those, at smaller ones and at hardly larger ones a problem an octave away does
// not overrule that.
TEST(Neighbours, TheDimsThatWereTunedCountAsWell) {
  const std::vector<db::NeighbourTime> faster_other = {timed(2048, winner, 1100), timed(2048, other, 1000)};
  const std::vector<db::NeighbourTime> faster_default = {timed(2048, winner, 1100),
                                                         timed(2048, fallback, 1000)};
  // A fifth of an octave beyond 1024 is 1176.3: four times that is left to 2048.
  EXPECT_EQ(first(rank(1030, faster_other)).config, "BLOCK=128 PACK=1 MODE=one");
  EXPECT_EQ(first(rank(1176, faster_other)).config, "BLOCK=128 PACK=1 MODE=one");
  EXPECT_EQ(first(rank(1177, faster_other)).config, "BLOCK=256 PACK=1 MODE=one");
  EXPECT_EQ(first(rank(1176, faster_default)).match, Match::nearest);
  EXPECT_EQ(first(rank(1177, faster_default)).match, Match::default_config);
  EXPECT_NEAR(first(rank(1176, faster_other)).expected_loss.value_or(-1), 0.1, 1e-12);
}

TEST(Neighbours, MoreThanAnOctaveAwaySaysNothing) {
  const std::vector<db::NeighbourTime> times = {timed(2048, winner, 1100), timed(2048, other, 1000)};
  EXPECT_EQ(first(rank(4096, times)).config, "BLOCK=256 PACK=1 MODE=one");  // one octave
  EXPECT_FALSE(first(rank(1000, times)).expected_loss.has_value());         // 1.03
  EXPECT_EQ(first(rank(1000, times)).config, "BLOCK=128 PACK=1 MODE=one");
}

TEST(Neighbours, WhatMayNotRunHereTakesNoPart) {
  const std::vector<db::NeighbourTime> times = {timed(2048, winner, 1100),
                                                timed(2048, tally_config(128, 4, "one"), 500),
                                                timed(2048, tally_config(65, 1, "one"), 400)};
  EXPECT_EQ(first(rank(1500, times)).config, "BLOCK=128 PACK=4 MODE=one");
  EXPECT_EQ(first(rank(1500, times, 4)).config,
            "BLOCK=128 PACK=1 MODE=one");                                   // floats in fours need 16 bytes
  EXPECT_EQ(first(rank(1501, times)).config, "BLOCK=128 PACK=1 MODE=one");  // and a length divided by 4
  EXPECT_EQ(first(rank(1501, times)).expected_loss, 0);
}

// The record's config moves four elements at once, which a length of 1501 does not allow.
TEST(Neighbours, WhereTheRecordsConfigMayNotRunTheFastestThatMayComesFirst) {
  const db::NamedValues wide = tally_config(128, 4, "one");
  const std::vector<db::NeighbourTime> times = {timed(2048, wide, 500), timed(2048, winner, 1100),
                                                timed(2048, other, 1000), timed(2048, fallback, 1300)};
  const Ranking ranking = rank(1501, times, 16, wide);
  EXPECT_EQ(first(ranking).match, Match::nearest);
  EXPECT_EQ(first(ranking).config, "BLOCK=256 PACK=1 MODE=one");
  EXPECT_EQ(first(ranking).expected_loss, 0);
  EXPECT_THAT(first(ranking).reason, HasSubstr("the fastest at n=2048 that may run here"));
  ASSERT_FALSE(ranking.passed_over.empty());
  EXPECT_THAT(ranking.passed_over.front().reason, HasSubstr("not valid here"));
  // Pointers that are not aligned for it: that is no matter of the dims, and records of their own alignment are for them.
  EXPECT_EQ(first(rank(1500, times, 4, wide)).match, Match::default_config);
  // The default was the fastest of those that may: it is served, and nothing is expected to be lost.
  const std::vector<db::NeighbourTime> slow = {timed(2048, wide, 500), timed(2048, other, 1000),
                                               timed(2048, fallback, 900)};
  EXPECT_EQ(first(rank(1501, slow, 16, wide)).match, Match::default_config);
  EXPECT_EQ(first(rank(1501, slow, 16, wide)).expected_loss, 0);
  // At its own dims a record speaks for itself alone.
  EXPECT_EQ(first(rank(1024, times, 4, wide)).match, Match::default_config);
}

// Of a problem with winners for two alignments, the narrower one serves pointers that the wider one does not suit, and stays near its
// own dims: 1020 is 0.006 octaves below 1024, and 0.59 below 1536.
TEST(Neighbours, TheNarrowerRecordIsNotDisplacedByTheWiderOnes) {
  db::StoredWinner wide = tally_winner({.config = tally_config(128, 4, "one"), .alignment_bytes = 16});
  db::StoredWinner narrow = tally_winner({.config = winner, .alignment_bytes = 4});
  wide.run = narrow.run = 7;
  const std::vector<db::NeighbourTime> times = {timed(1536, winner, 1000), timed(1536, other, 900),
                                                timed(1536, fallback, 1200)};
  EXPECT_EQ(first(rank_rows(1020, {wide, narrow}, {{7, times}}, 4)).config, "BLOCK=128 PACK=1 MODE=one");
  EXPECT_EQ(first(rank_rows(1400, {wide, narrow}, {{7, times}}, 4)).config, "BLOCK=256 PACK=1 MODE=one");
}

// 1230 is 0.26 octaves beyond 1024, whose run found the default fastest at 1100, 0.16 octaves below: that counts 0.64. What 1536 knows
// counts 0.32 and comes before the default; 3000 counts 1.29 and does not.
TEST(Neighbours, OnlyWhatIsLessUnlikeComesBeforeADefaultThatWasFaster) {
  db::StoredWinner near = tally_winner({.config = winner});
  near.run = 7;
  const std::vector<db::NeighbourTime> times = {timed(1100, winner, 1100), timed(1100, fallback, 1000)};
  const auto with = [&](std::int64_t n) {
    db::StoredWinner far = tally_winner({.n = n, .config = other});
    far.run = 8;
    return first(rank_rows(1230, {near, far}, {{7, times}}, 16));
  };
  EXPECT_EQ(with(1536).config, "BLOCK=256 PACK=1 MODE=one");
  EXPECT_EQ(with(3000).match, Match::default_config);
  EXPECT_EQ(with(3000).expected_loss, 0);
}

class NeighboursAtRunTime : public DispatchTest {
 protected:
  void tune() {
    const db::StoredWinner row = tally_winner({.config = winner});
    db::Store file = db::Store::open(database(), db::OpenMode::create);
    db::RunInfo info;
    info.toolchain = row.toolchain;
    const std::int64_t run = file.begin_run(row.problem, info);
    file.add_neighbour_times(run, {timed(2048, winner, 1100), timed(2048, other, 1000)});
    file.end_run(run, {}, {row.winner});
  }
};

// They are read when they are needed: a file that is another one by then says nothing, and the record serves.
TEST_F(NeighboursAtRunTime, OfAFileThatWasReplacedAreNotUsed) {
  tune();
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  std::filesystem::remove(database());
  tune();
  const std::int64_t dims[] = {1500, 1};
  EXPECT_EQ(kernel.select(dims).config, "BLOCK=128 PACK=1 MODE=one");
  EXPECT_FALSE(kernel.select(dims).expected_loss.has_value());
  EXPECT_EQ(lines("tuning.db has changed since it was opened").size(), 1u);
}

TEST_F(NeighboursAtRunTime, ComeFromTheDatabase) {
  tune();
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const std::int64_t dims[] = {1500, 1};
  EXPECT_EQ(kernel.select(dims).config, "BLOCK=256 PACK=1 MODE=one");
  EXPECT_EQ(kernel.select(dims).expected_loss, 0);
  const TallyOperands operands(*device_, 1500);
  EXPECT_EQ(run_tally(kernel, operands, 1500), Match::nearest);
  EXPECT_EQ(operands.result(), 1500.0f);
}

}  // namespace
}  // namespace warptune::testing
