#include "db/sqlite/open.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/db/support.hpp"

namespace warptune::db {
namespace {

using namespace test;
using sqlite::Access;
using sqlite::Connection;
using testing::ElementsAre;
using testing::HasSubstr;

// SQLite's file layer that locks by a folder beside the file; like some network file systems it has no shared
// memory.
const std::string no_shared_memory = "unix-dotfile";

class OpenTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "tuning.db";
};

TEST_F(OpenTest, WritersUseWal) {
  const auto connection = sqlite::open_writable(file_, true);
  EXPECT_EQ(connection->query_text("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(connection->query_integer("PRAGMA synchronous"), 1);  // NORMAL
  EXPECT_EQ(connection->query_integer("PRAGMA foreign_keys"), 1);
  EXPECT_GE(connection->query_integer("PRAGMA busy_timeout"), 10'000);
}

TEST_F(OpenTest, RollbackJournalWhereWalIsRefused) {
  {
    const auto connection = sqlite::open_writable(file_, true, no_shared_memory);
    EXPECT_EQ(connection->query_text("PRAGMA journal_mode"), "delete");
    EXPECT_EQ(connection->query_integer("PRAGMA synchronous"), 2);  // FULL
    connection->execute("INSERT INTO device VALUES (1, 'a', 1, 1, 1, 1)");
  }
  const auto connection = sqlite::open_readable(file_);
  EXPECT_EQ(connection->query_integer("SELECT count(*) FROM device"), 1);
}

TEST_F(OpenTest, WalFileOpensWithoutSharedMemory) {
  make_sample(file_);
  const auto connection = sqlite::open_writable(file_, false, no_shared_memory);
  EXPECT_EQ(connection->query_text("PRAGMA journal_mode"), "delete");
  EXPECT_EQ(connection->query_integer("SELECT count(*) FROM outcome"), 2);
  // The exclusive lock that this took is given back.
  const auto second = sqlite::open_writable(file_, false, no_shared_memory);
  second->execute("DELETE FROM calibration");
}

TEST_F(OpenTest, OrdinaryOpeningLeavesNoSideFiles) {
  make_sample(file_);
  EXPECT_THAT(folder_.names(), ElementsAre("tuning.db"));
  { Store::open(file_, OpenMode::read_only).winners(); }
  EXPECT_THAT(folder_.names(), ElementsAre("tuning.db"));
}

TEST_F(OpenTest, MissingFileIsMadeOnlyWhenAsked) {
  for (const OpenMode mode : {OpenMode::read_write, OpenMode::read_only}) {
    try {
      Store::open(file_, mode);
      ADD_FAILURE() << "opened";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::not_found);
      EXPECT_THAT(error.full_text(), HasSubstr(file_.string()));
    }
    EXPECT_TRUE(folder_.names().empty());
  }
  EXPECT_EQ(Store::open(file_, OpenMode::create).schema_version(), 5);
  EXPECT_EQ(Store::open(file_, OpenMode::read_write).outcome_total(), 0);
}

TEST_F(OpenTest, FolderThatIsMissing) {
  try {
    Store::open(folder_ / "none" / "tuning.db", OpenMode::create);
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::database);
    EXPECT_THAT(error.full_text(), HasSubstr((folder_ / "none").string()));
  }
}

TEST_F(OpenTest, RelativeNameAndOddCharacters) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  for (const std::string name :
       {"plain.db", ":memory:", "file:x?mode=memory", "a b#c%41'\"\xC3\xA9.db", "-dash"}) {
    make_sample(name);
    EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
    EXPECT_EQ(Store::open(name, OpenMode::read_only).outcome_total(), 2) << name;
    const Connection immutable(name, Access::immutable);
    EXPECT_EQ(const_cast<Connection&>(immutable).query_integer("SELECT count(*) FROM outcome"), 2) << name;
  }
  std::filesystem::current_path(before);
}

TEST_F(OpenTest, SideFilesLieBesideTheTargetOfALink) {
  std::filesystem::create_directory(folder_ / "real");
  const auto target = folder_ / "real" / "target.db";
  make_sample(target);
  std::filesystem::create_symlink(target, file_);
  EXPECT_EQ(sqlite::side_file(file_, "-wal"), std::filesystem::canonical(target).string() + "-wal");
  Store writer = Store::open(file_, OpenMode::read_write);
  writer.begin_run(sample_problem(), sample_run());
  EXPECT_TRUE(std::filesystem::exists(sqlite::side_file(file_, "-wal")));
}

TEST_F(OpenTest, WaitsForAnotherWriter) {
  make_sample(file_);
  Store store = Store::open(file_, OpenMode::read_write);
  Connection other(file_, Access::read_write);
  other.execute("BEGIN IMMEDIATE");
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    other.execute("COMMIT");
  });
  const auto start = std::chrono::steady_clock::now();
  store.begin_run(sample_problem(), sample_run());
  const auto waited = std::chrono::steady_clock::now() - start;
  release.join();
  EXPECT_GE(waited, std::chrono::milliseconds(250));
}

TEST_F(OpenTest, FullDiskIsSaidAndNothingIsLost) {
  make_sample(file_);
  Connection connection(file_, Access::read_write);
  connection.execute("PRAGMA max_page_count = 1");  // raised to the present size by SQLite
  try {
    connection.execute("CREATE TABLE filler (x); INSERT INTO filler VALUES (zeroblob(1000000))");
    FAIL() << "stored";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
    EXPECT_THAT(error.full_text(), HasSubstr("no space left to write " + file_.string()));
  }
  EXPECT_EQ(Store::open(file_, OpenMode::read_only).outcome_total(), 2);
}

TEST_F(OpenTest, TransactionRollsBackUnlessCommitted) {
  make_sample(file_);
  Connection connection(file_, Access::read_write);
  {
    sqlite::Transaction transaction(connection);
    connection.execute("DELETE FROM winner");
  }
  EXPECT_FALSE(connection.in_transaction());
  EXPECT_EQ(connection.query_integer("SELECT count(*) FROM winner"), 1);
}

}  // namespace
}  // namespace warptune::db
