// Times at neighbouring problems: stored with their run, and with it merged, removed and read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/sqlite/connection.hpp"
#include "tests/db/support.hpp"

namespace warptune::db {
namespace {

using namespace test;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class NeighboursTest : public ::testing::Test {
 protected:
  Store sample(const char* name) const {
    make_sample(folder_ / name);
    return Store::open(folder_ / name, OpenMode::read_write);
  }
  TemporaryFolder folder_;
};

TEST_F(NeighboursTest, AreReadBackByRunAndByDevice) {
  const Store store = sample("a.db");
  EXPECT_EQ(store.neighbour_times(1), sample_neighbours());
  EXPECT_THAT(store.neighbour_times(2), IsEmpty());
  const RunMark newest = store.newest_with_neighbours().value();
  const NeighbourTable table = store.load_neighbours(sample_device(), "dot", newest);
  EXPECT_EQ(table.of_run(1), sample_neighbours());
  EXPECT_THAT(table.of_run(2), IsEmpty());
  DeviceKey other = sample_device();
  other.sm_count += 1;
  EXPECT_EQ(store.load_neighbours(other, "dot", newest).size(), 0U);
  EXPECT_EQ(store.load_neighbours(sample_device(), "embedding", newest).size(), 0U);
}

// The runtime reads them long after it read the winners.
TEST_F(NeighboursTest, ThoseOfKnownRunsAreReadWhateverWasAddedSince) {
  Store store = sample("a.db");
  const RunMark newest = store.newest_with_neighbours().value();
  const std::int64_t run = store.begin_run(sample_problem(), sample_run());
  store.add_neighbour_times(run, sample_neighbours());
  store.end_run(run, sample_end(), {sample_winner(64)});  // the current one now
  const NeighbourTable table = store.load_neighbours(sample_device(), "dot", newest);
  EXPECT_EQ(table.of_run(1), sample_neighbours());
  EXPECT_THAT(table.of_run(run), IsEmpty());
}

TEST_F(NeighboursTest, NoneAreReadWhereRowsMayStandForOtherRuns) {
  Store store = sample("a.db");
  const RunMark newest = store.newest_with_neighbours().value();
  store.remove_runs({1}, /*dry_run=*/false);
  EXPECT_FALSE(store.newest_with_neighbours().has_value());
  const std::int64_t run = store.begin_run(sample_problem(1024), sample_run());
  ASSERT_EQ(run, newest.id) << "SQLite gives a free number again";
  store.add_neighbour_times(run, sample_neighbours(1024));
  try {
    store.load_neighbours(sample_device(), "dot", newest);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_THAT(error.full_text(), ::testing::HasSubstr("a.db has changed"));
  }
}

TEST_F(NeighboursTest, MergeTakesThemAlongOnce) {
  const Store from = sample("from.db");
  Store to = Store::open(folder_ / "to.db", OpenMode::create);
  for (int time = 0; time < 2; ++time) {
    to.merge(from);
    EXPECT_EQ(to.neighbour_times(1), sample_neighbours());
  }
}

TEST_F(NeighboursTest, RemovedRunsTakeTheirsAway) {
  Store store = sample("a.db");
  const std::int64_t kept = store.begin_run(sample_problem(1024), sample_run());
  store.add_neighbour_times(kept, sample_neighbours(1024));
  store.end_run(kept, sample_end(), {sample_winner(64)});
  store.remove_runs({1}, /*dry_run=*/true);
  EXPECT_THAT(store.neighbour_times(1), SizeIs(2));
  store.remove_runs({1}, /*dry_run=*/false);
  EXPECT_THAT(store.neighbour_times(1), IsEmpty());
  EXPECT_EQ(store.neighbour_times(kept), sample_neighbours(1024));
}

TEST_F(NeighboursTest, WhatIsNoTimeIsRefusedOrReported) {
  Store store = sample("a.db");
  std::vector<NeighbourTime> bad = sample_neighbours();
  bad[1].time_ns = 0;
  try {
    store.add_neighbour_times(1, bad);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
  }
  sqlite::Connection(folder_ / "a.db", sqlite::Access::read_write)
      .execute(
          "UPDATE neighbour SET time_ns = -1 WHERE id = 1; UPDATE neighbour SET dims = '{' WHERE id = 2");
  const Store damaged = Store::open(folder_ / "a.db", OpenMode::read_only);
  EXPECT_THAT(damaged.neighbour_times(1), IsEmpty());
  EXPECT_THAT(damaged.faults(), SizeIs(2));
  EXPECT_THAT(damaged.winners(), SizeIs(1)) << "they hide no winner";
}

}  // namespace
}  // namespace warptune::db
