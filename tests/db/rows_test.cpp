// H03, rows: what cannot be read counts as absent, is reported once, and hides nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/sqlite/connection.hpp"
#include "tests/db/support.hpp"

namespace warptune::db {
namespace {

using namespace test;
using sqlite::Access;
using sqlite::Connection;
using testing::HasSubstr;

class RowsTest : public testing::Test {
 protected:
  void SetUp() override { make_sample(file_); }
  // Values that the schema would refuse get in after the table has lost its constraints.
  void alter_freely(const std::string& table, const std::string& sql) {
    Connection connection(file_, Access::read_write);
    connection.execute("PRAGMA legacy_alter_table = ON; CREATE TABLE free AS SELECT * FROM " + table +
                       "; DROP TABLE " + table + "; ALTER TABLE free RENAME TO " + table + ";" + sql);
  }
  void alter(const std::string& sql) { Connection(file_, Access::read_write).execute(sql); }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "tuning.db";
};

TEST_F(RowsTest, SchemaRefusesNullAndWrongKinds) {
  EXPECT_THROW(alter("UPDATE outcome SET config = NULL"), Error);
  EXPECT_THROW(alter("UPDATE winner SET time_ns = 'fast'"), Error);
  EXPECT_THROW(alter("UPDATE run SET origin = 'guessed'"), Error);
}

TEST_F(RowsTest, OutcomesWithNullAndWrongKinds) {
  for (const char* change :
       {"config = NULL", "status = NULL", "status = ''", "reason = NULL", "blocks_ns = NULL",
        "blocks_ns = x'010203'", "verified_ragged = NULL", "registers = 'many'", "registers = 3000000000",
        "alignment_bytes = NULL", "alignment_bytes = 12", "alignment_bytes = 0", "at_unix_ms = NULL",
        "time_ns = 'fast'", "config = '{\"a\":}'", "config = '[1]'", "config = '{\"a\":null}'"}) {
    std::filesystem::remove(file_);
    make_sample(file_);
    alter_freely("outcome", std::string("UPDATE outcome SET ") + change + " WHERE id = 1");
    const Store store = Store::open(file_, OpenMode::read_only);
    const auto outcomes = store.outcomes(sample_problem());
    ASSERT_EQ(outcomes.size(), 1U) << change;
    EXPECT_EQ(outcomes[0].outcome.status, "wrong_result");
    ASSERT_EQ(store.faults().size(), 1U) << change;
    EXPECT_EQ(store.faults()[0].table, "outcome");
    EXPECT_EQ(store.faults()[0].row, 1);
    EXPECT_FALSE(store.faults()[0].what.empty());
    store.outcomes(sample_problem());
    EXPECT_EQ(store.faults().size(), 1U) << "reported twice";
  }
}

TEST_F(RowsTest, OlderOutcomeOfTheSameConfigShowsAgain) {
  {
    Store store = Store::open(file_, OpenMode::read_write);
    OutcomeRecord newer = sample_outcome(256);
    newer.time_ns = 1;
    newer.at_unix_ms += 1;
    store.add_outcome(1, newer);
    EXPECT_EQ(store.outcomes(sample_problem()).at(1).outcome.time_ns, 1);
  }
  alter("UPDATE outcome SET blocks_ns = x'00' WHERE id = 3");
  const Store store = Store::open(file_, OpenMode::read_only);
  EXPECT_EQ(store.outcomes(sample_problem()).at(0).outcome.time_ns, sample_outcome(256).time_ns);
}

TEST_F(RowsTest, WinnersWithNullAndWrongKinds) {
  for (const char* change :
       {"config = NULL", "config = 'NUM_THREADS=256'", "time_ns = NULL", "time_ns = -1.0", "time_ns = 9e999",
        "alignment_bytes = 3", "default_config = NULL", "certified = NULL", "samples = 'x'",
        "at_unix_s = NULL", "run = NULL", "run = 77", "problem = 77"}) {
    std::filesystem::remove(file_);
    make_sample(file_);
    {
      Store store = Store::open(file_, OpenMode::read_write);
      store.end_run(store.begin_run(sample_problem(5), sample_run()), sample_end(), {sample_winner(64)});
    }
    alter_freely("winner", std::string("UPDATE winner SET ") + change + " WHERE id = 1");
    const Store store = Store::open(file_, OpenMode::read_only);
    const auto winners = store.winners(sample_device(), "dot");
    ASSERT_EQ(winners.size(), 1U) << change;
    EXPECT_EQ(winners[0].problem, sample_problem(5));
    ASSERT_EQ(store.faults().size(), 1U) << change;
    EXPECT_EQ(store.faults()[0].table, "winner");
    EXPECT_EQ(store.faults()[0].row, 1);
  }
}

TEST_F(RowsTest, NeighboursWithNullAndWrongKinds) {
  for (const char* change : {"config = NULL", "config = '[1]'", "dims = NULL", "dims = '{\"n\":\"all\"}'",
                             "dims = ''", "time_ns = NULL", "time_ns = -1.0", "time_ns = 9e999",
                             "time_ns = 'fast'", "samples = NULL", "samples = 1.5"}) {
    std::filesystem::remove(file_);
    make_sample(file_);
    alter_freely("neighbour", std::string("UPDATE neighbour SET ") + change + " WHERE id = 1");
    const Store store = Store::open(file_, OpenMode::read_only);
    const std::vector<NeighbourTime> rest = {sample_neighbours()[1]};
    EXPECT_EQ(store.neighbour_times(1), rest) << change;
    EXPECT_EQ(store.load_neighbours(sample_device(), "dot", store.newest_with_neighbours().value()).of_run(1),
              rest);
    EXPECT_EQ(store.run(1)->neighbours, rest);
    EXPECT_EQ(store.winners().size(), 1U) << "they hide no winner";
    ASSERT_EQ(store.faults().size(), 1U) << change << ": reported once";
    EXPECT_EQ(store.faults()[0].table, "neighbour");
  }
}

TEST_F(RowsTest, RowsWithoutIdsAreFaultsToo) {
  alter_freely("winner", "UPDATE winner SET id = NULL, config = NULL");
  alter_freely("device", "UPDATE device SET id = NULL");
  const Store store = Store::open(file_, OpenMode::read_only);
  EXPECT_TRUE(store.winners().empty());
  ASSERT_EQ(store.faults().size(), 1U);
  EXPECT_EQ(store.faults()[0].row, 0);
  // A key that cannot be looked up is damage of the file, not a row to pass over.
  try {
    store.outcomes(sample_problem());
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_TRUE(is_damage(error));
  }
}

TEST_F(RowsTest, ProblemRunAndCalibration) {
  {
    Store store = Store::open(file_, OpenMode::read_write);
    store.set_calibration({sample_device(), {{"event_tick_ns", 32.0}}, 1000});
    store.set_calibration({sample_device(), {{"event_tick_ns", 64.0}}, 2000});
    store.end_run(store.begin_run(sample_problem(), sample_run()), RunEnd{}, {});
  }
  alter("UPDATE calibration SET figures = 'none' WHERE id = 2; UPDATE run SET phase_s = '{' WHERE id = 2");
  {
    const Store store = Store::open(file_, OpenMode::read_only);
    EXPECT_EQ(store.calibration(sample_device())->figures.at("event_tick_ns"), 32.0);
    EXPECT_EQ(store.last_run_end(sample_problem())->space_size, 720);
    EXPECT_EQ(store.faults().size(), 2U);
  }
  alter("UPDATE problem SET free_dims = '{\"n\":\"all\"}'");
  const Store store = Store::open(file_, OpenMode::read_only);
  EXPECT_TRUE(store.problems().empty());
  EXPECT_TRUE(store.winners().empty());
  ASSERT_EQ(store.faults().size(), 2U);
  EXPECT_EQ(store.faults()[0].table, "problem");
  EXPECT_THAT(store.faults()[0].what, HasSubstr("wrong kind for \"n\""));
}

}  // namespace
}  // namespace warptune::db
