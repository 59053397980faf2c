// The order of winners: readable, measured, certified, complete, newest; times never decide. See
// db/SCHEMA.md.
#include <functional>

#include <gtest/gtest.h>

#include "db/sqlite/connection.hpp"
#include "tests/db/support.hpp"

namespace warptune::db {
namespace {

using namespace test;

struct Evidence {
  Origin origin;
  bool certified;
  bool complete;
};

class WinnerOrderTest : public testing::Test {
 protected:
  void add(Evidence evidence, std::int64_t threads, double time_ns = 20000, int alignment_bytes = 16,
           const std::function<bool(const NamedValues&)>& may_run = {}) {
    RunInfo info = sample_run();
    info.origin = evidence.origin;
    RunEnd end = sample_end();
    end.complete = evidence.complete;
    WinnerRecord winner = sample_winner(threads);
    winner.certified = evidence.certified;
    winner.complete = evidence.complete;
    winner.time_ns = time_ns;
    winner.alignment_bytes = alignment_bytes;
    store_.end_run(store_.begin_run(sample_problem(), info), end, {winner}, may_run);
  }
  // NUM_THREADS of the winner that readers get.
  std::int64_t winning(int alignment_bytes = 16) const {
    std::int64_t result = 0;
    for (const StoredWinner& stored : store_.winners()) {
      if (stored.winner.alignment_bytes != alignment_bytes) continue;
      EXPECT_EQ(result, 0) << "more than one";
      result = std::get<std::int64_t>(stored.winner.config.at("NUM_THREADS"));
    }
    return result;
  }
  std::int64_t stored_winners() {
    sqlite::Connection connection(store_.path(), sqlite::Access::read_only);
    return connection.query_integer("SELECT count(*) FROM winner");
  }

  TemporaryFolder folder_;
  Store store_ = Store::open(folder_ / "tuning.db", OpenMode::create);
};

constexpr auto measured = Origin::measured;
constexpr auto replayed = Origin::replayed;

TEST_F(WinnerOrderTest, EveryPairOfEvidence) {
  // From weakest to strongest.
  const Evidence ranked[] = {{replayed, false, false}, {replayed, false, true},  {replayed, true, false},
                             {replayed, true, true},   {measured, false, false}, {measured, false, true},
                             {measured, true, false},  {measured, true, true}};
  for (std::size_t a = 0; a < std::size(ranked); ++a) {
    for (std::size_t b = 0; b < std::size(ranked); ++b) {
      const TemporaryFolder folder;
      store_ = Store::open(folder / "pair.db", OpenMode::create);
      add(ranked[a], 64);
      add(ranked[b], 128);
      // Equal evidence: the newer.
      EXPECT_EQ(winning(), b >= a ? 128 : 64) << a << " then " << b;
      EXPECT_EQ(stored_winners(), 2);
    }
  }
}

TEST_F(WinnerOrderTest, TimesNeverDecide) {
  add({measured, false, true}, 64, 100);
  add({measured, false, true}, 128, 900);
  EXPECT_EQ(winning(), 128);
  add({measured, false, false}, 256, 1);
  EXPECT_EQ(winning(), 128);
}

TEST_F(WinnerOrderTest, AlignmentClassesAreApart) {
  add({measured, true, true}, 64, 100, 16);
  add({measured, false, false}, 128, 100, 4);
  EXPECT_EQ(winning(16), 64);
  EXPECT_EQ(winning(4), 128);
}

TEST_F(WinnerOrderTest, RunWithoutWinnersTakesNothingAway) {
  add({measured, false, false}, 64);
  store_.end_run(store_.begin_run(sample_problem(), sample_run()), sample_end(), {});
  EXPECT_EQ(winning(), 64);
}

TEST_F(WinnerOrderTest, WhatTheTemplateHasNoMoreGivesWayToAnythingNewer) {
  const auto has_not_64 = [](const NamedValues& config) { return config != sample_config(64); };
  add({measured, true, true}, 32, 20000, 4);
  add({measured, true, true}, 64);
  add({measured, false, false}, 128);
  EXPECT_EQ(winning(), 64) << "nobody said that it is gone";
  store_.end_run(store_.begin_run(sample_problem(), sample_run()), sample_end(), {}, has_not_64);
  EXPECT_EQ(winning(), 64) << "there is nothing instead";
  add({measured, false, false}, 256, 20000, 16, has_not_64);
  EXPECT_EQ(winning(), 256);
  EXPECT_EQ(winning(4), 32) << "certified, and may run";
  EXPECT_TRUE(store_.run(1)->winners.at(0).certified);
  const WinnerRecord gone = store_.run(2)->winners.at(0);
  EXPECT_FALSE(gone.certified || gone.complete || gone.interval_low_ns || gone.interval_high_ns);
  EXPECT_EQ(gone.certified_by, "");
  EXPECT_EQ(gone.config, sample_config(64));
  EXPECT_EQ(stored_winners(), 4);
}

TEST_F(WinnerOrderTest, UnreadableWinnerCountsAsNotTunedAndIsReplaced) {
  add({measured, true, true}, 64);
  {
    sqlite::Connection connection(store_.path(), sqlite::Access::read_write);
    connection.execute("UPDATE winner SET config = '{NUM_THREADS'");
  }
  EXPECT_TRUE(store_.winners().empty());
  EXPECT_EQ(store_.faults().size(), 1U);
  add({replayed, false, false}, 128);
  EXPECT_EQ(winning(), 128);
}

}  // namespace
}  // namespace warptune::db
