// The schema as others see it: plain SQL, the views, and files of every version ever released.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/migrations/migrations.hpp"
#include "db/sqlite/open.hpp"
#include "tests/db/support.hpp"

namespace warptune::db {
namespace {

using namespace test;
using sqlite::Access;
using sqlite::Connection;
using sqlite::Cursor;
using sqlite::Statement;
namespace fs = std::filesystem;

// Rows as "a|b|c", as the sqlite3 shell prints them.
std::vector<std::string> rows(Connection& connection, const std::string& sql, int columns) {
  std::string shown;
  for (int i = 0; i < columns; ++i)
    shown += (i ? " || '|' || ifnull(c" : "ifnull(c") + std::to_string(i) + ", '')";
  std::string names;
  for (int i = 0; i < columns; ++i) names += (i ? ", c" : "c") + std::to_string(i);
  connection.execute("PRAGMA trusted_schema = ON");  // as the shell has it; JSON functions in views need it
  Statement statement(connection, "WITH q(" + names + ") AS (" + sql + ") SELECT " + shown + " FROM q");
  Cursor cursor(statement);
  std::vector<std::string> result;
  while (cursor.next()) result.emplace_back(cursor.text(0));
  return result;
}

class SchemaTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  fs::path file_ = folder_ / "tuning.db";
};

TEST_F(SchemaTest, MigrationsCountUpFromOne) {
  int expected = 1;
  for (const Migration& step : migrations()) EXPECT_EQ(step.version, expected++);
  EXPECT_EQ(latest_schema_version(), expected - 1);
}

TEST_F(SchemaTest, MarksAndStrictTables) {
  make_sample(file_);
  Connection connection(file_, Access::read_only);
  EXPECT_EQ(connection.query_integer("PRAGMA application_id"), 0x5750544E);
  EXPECT_EQ(connection.query_integer("PRAGMA user_version"), latest_schema_version());
  const char* tables = "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  EXPECT_THAT(rows(connection, tables, 1),
              testing::UnorderedElementsAre("device", "problem", "toolchain", "run", "outcome", "winner",
                                            "calibration", "template_part", "reference_time", "neighbour"));
  EXPECT_THAT(rows(connection, std::string(tables) + " AND strict = 0", 1), testing::IsEmpty());
}

TEST_F(SchemaTest, BestReadsWell) {
  make_sample(file_);
  {
    // A later, weaker result is kept but not shown.
    Store store = Store::open(file_, OpenMode::read_write);
    WinnerRecord partial = sample_winner(64);
    partial.complete = false;
    store.end_run(store.begin_run(sample_problem(), sample_run()), RunEnd{}, {partial});
  }
  Connection connection(file_, Access::read_only);
  // 67108864 B in 20 us = 3355.4 GB/s, of 4600 GB/s = 72.9 %; 33554432 flops = 1677.7 GFLOP/s; 30 us / 20 us
  // = 1.5.
  EXPECT_THAT(
      rows(connection,
           "SELECT kernel, types, dims, alignment_bytes, config, time_us, default_us, gain_x, gbytes_per_s, "
           "gflops_per_s, percent_of_limit, certified, complete, tied, origin, device, driver, nvrtc FROM "
           "best",
           18),
      testing::ElementsAre(
          "dot|T=__half|rank=1 n=16777216|16|FINISH=two_pass NUM_THREADS=256 PACK=8|20.0|30.0|"
          "1.5|3355.4|1677.7|72.9|no|yes|2|measured|NVIDIA H200|580.159.04|13.0"));
  EXPECT_EQ(connection.query_integer("SELECT tuned_utc LIKE '20__-__-__ __:__:__' FROM best"), 1);
}

TEST_F(SchemaTest, BestSaysWhatTheCardWentThrough) {
  {
    Store store = Store::open(file_, OpenMode::create);
    RunEnd end = sample_end();
    end.clocks = {
        {"sm_mhz_median", 1980}, {"sm_mhz_lowest", 1881}, {"sm_mhz_highest", 1980}, {"disturbed_rounds", 3}};
    store.end_run(store.begin_run(sample_problem(), sample_run()), end, {sample_winner(16)});
    end.clocks = {};
    store.end_run(store.begin_run(sample_problem(5), sample_run()), end, {sample_winner(16)});
  }
  Connection connection(file_, Access::read_only);
  // (1980 - 1881) / 1980 = 5 %
  EXPECT_THAT(rows(connection, "SELECT sm_mhz, sm_mhz_spread_percent, disturbed_rounds FROM best", 3),
              testing::UnorderedElementsAre("1980.0|5.0|3.0", "||"));
}

TEST_F(SchemaTest, FailuresReadWell) {
  make_sample(file_);
  {
    Store store = Store::open(file_, OpenMode::read_write);
    OutcomeRecord excluded = sample_outcome(1024);
    excluded.status = "excluded";
    store.add_outcome(1, excluded);
  }
  Connection connection(file_, Access::read_only);
  EXPECT_THAT(
      rows(connection, "SELECT kernel, types, dims, status, config, reason, tried_utc FROM failures", 7),
      testing::ElementsAre(
          "dot|T=__half|rank=1 n=16777216|wrong_result|FINISH=two_pass NUM_THREADS=512 PACK=8|"
          "element 3 is 1, not 2|2023-11-14 22:13:21"));
}

TEST_F(SchemaTest, LibraryTimesReadWell) {
  { Store::open(file_, OpenMode::create).add_reference_time(sample_reference_time()); }
  Connection connection(file_, Access::read_only);
  EXPECT_THAT(rows(connection,
                   "SELECT kernel, types, dims, library, call, time_us, ours_us, ours_speedup_x, timed_utc "
                   "FROM library_times",
                   9),
              testing::ElementsAre(
                  "dot|T=__half|n=16777216 rank=1|cuBLAS|cublasDotEx|25.0|20.5|1.21|2023-11-14 22:15:00"));
}

TEST_F(SchemaTest, NeighboursSayWhatEachConfigLoses) {
  make_sample(file_);
  Connection connection(file_, Access::read_only);
  // 39100 / 39000.5 = 1.00255
  EXPECT_THAT(
      rows(connection, "SELECT kernel, tuned_dims, dims, config, time_us, loss_percent FROM neighbours", 6),
      testing::ElementsAre(
          "dot|rank=1 n=16777216|n=33554432|FINISH=two_pass NUM_THREADS=256 PACK=8|39.001|0.0",
          "dot|rank=1 n=16777216|n=33554432|FINISH=two_pass NUM_THREADS=128 PACK=8|39.1|0.26"));
}

TEST_F(SchemaTest, ViewsSurviveUnreadableRows) {
  make_sample(file_);
  Connection(file_, Access::read_write)
      .execute(
          "UPDATE winner SET config = '{broken'; UPDATE outcome SET config = 'x'; UPDATE problem SET types = "
          "'{'");
  Connection connection(file_, Access::read_only);
  EXPECT_THAT(rows(connection, "SELECT types, config FROM best", 2), testing::ElementsAre("{|{broken"));
  EXPECT_THAT(rows(connection, "SELECT types, config FROM failures", 2), testing::ElementsAre("{|x"));
}

TEST_F(SchemaTest, FloatsAreLittleEndianFloat32) {
  make_sample(file_);
  Connection connection(file_, Access::read_only);
  // 17800.5f = 0x468b1100, 17811.25f = 0x468b2680, 17790.0f = 0x468afc00.
  EXPECT_EQ(connection.query_text("SELECT hex(blocks_ns) FROM outcome WHERE id = 1"),
            "00118B4680268B4600FC8A46");
}

// One golden file per released version is kept for ever (tests/golden/schema_vN.db, see make_golden.cpp).
class GoldenTest : public SchemaTest, public testing::WithParamInterface<int> {
 protected:
  fs::path golden() const {
    return fs::path(WARPTUNE_GOLDEN_FOLDER) / ("schema_v" + std::to_string(GetParam()) + ".db");
  }
};

// `version`: of the golden file, whatever it was migrated to since.
void expect_golden_content(const Store& store, int version) {
  const auto winners = store.winners();
  ASSERT_EQ(winners.size(), 1U);
  EXPECT_EQ(winners[0].problem, sample_problem());
  EXPECT_EQ(winners[0].winner.config, sample_config(256));
  EXPECT_EQ(winners[0].winner.time_ns, 20000);
  EXPECT_EQ(winners[0].toolchain, sample_toolchain());
  const auto outcomes = store.outcomes(sample_problem());
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_EQ(outcomes[0].outcome.blocks_ns, sample_outcome().blocks_ns);
  EXPECT_EQ(outcomes[1].outcome.reason, "element 3 is 1, not 2");
  EXPECT_EQ(store.last_run_end(sample_problem())->space_size, 720);
  EXPECT_EQ(store.calibration(sample_device())->figures.at("event_tick_ns"), 32.0);
  const auto times = store.reference_times();
  ASSERT_EQ(times.size(), version < 2 ? 0U : 1U);
  if (version >= 2) {
    EXPECT_EQ(times[0].beside.has_value(), version >= 3);
    EXPECT_EQ(times[0].beside.value_or(Beside{}).config, version >= 3 ? sample_config(256) : NamedValues());
  }
  EXPECT_EQ(store.template_parts(sample_problem().template_hash).size(), version < 2 ? 0U : 2U);
  EXPECT_EQ(store.last_run_end(sample_problem())->clocks.size(), version < 2 ? 0U : 1U);
  EXPECT_EQ(store.neighbour_times(1), version < 5 ? std::vector<NeighbourTime>() : sample_neighbours());
  EXPECT_TRUE(store.faults().empty());
}

TEST_P(GoldenTest, OpensForReadingAndForWriting) {
  ASSERT_TRUE(fs::exists(golden())) << golden();
  fs::copy_file(golden(), file_);
  fs::permissions(file_, fs::perms{0644});
  expect_golden_content(Store::open(file_, OpenMode::read_only), GetParam());
  {
    Store store = Store::open(file_, OpenMode::read_write);
    EXPECT_EQ(store.schema_version(), latest_schema_version());
    expect_golden_content(store, GetParam());
    store.add_outcome(1, sample_outcome(64));
  }
  EXPECT_EQ(Store::open(file_, OpenMode::read_only).outcomes(sample_problem()).size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(Versions, GoldenTest, testing::Range(1, latest_schema_version() + 1));

TEST_F(SchemaTest, MigratedGoldenEqualsFreshFile) {
  const char* schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name";
  { Store::open(file_, OpenMode::create); }
  Connection fresh(file_, Access::read_only);
  const auto expected = rows(fresh, schema, 4);
  for (int version = 1; version <= latest_schema_version(); ++version) {
    const auto copy = folder_ / ("v" + std::to_string(version) + ".db");
    fs::copy_file(fs::path(WARPTUNE_GOLDEN_FOLDER) / ("schema_v" + std::to_string(version) + ".db"), copy);
    fs::permissions(copy, fs::perms{0644});
    { Store::open(copy, OpenMode::read_write); }
    Connection migrated(copy, Access::read_only);
    EXPECT_EQ(rows(migrated, schema, 4), expected) << "a released migration was changed";
  }
}

}  // namespace
}  // namespace warptune::db
