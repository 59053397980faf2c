// H02: reading without write permission, without leaving files, and without missing rows of a live WAL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "db/sqlite/open.hpp"
#include "tests/db/support.hpp"

namespace warptune::db {
namespace {

using namespace test;
namespace fs = std::filesystem;

class ReadOnlyTest : public testing::Test {
 protected:
  // Without other rights than everybody's, for every file in the folder and the folder itself.
  void forbid_writing() {
    for (const std::string& name : folder_.names()) fs::permissions(folder_ / name, fs::perms{0444});
    fs::permissions(folder_.path(), fs::perms{0555});
  }
  // Outcome rows that an unprivileged reader sees; its files and temporary files are gone afterwards.
  void expect_unprivileged_reader_sees(std::int64_t outcomes) {
    const std::vector<std::string> before = folder_.names();
    const TemporaryFolder temporary;
    fs::permissions(temporary.path(), fs::perms{0777});
    EXPECT_EQ(run_unprivileged([&] {
                ::setenv("TMPDIR", temporary.path().c_str(), 1);
                require(::access(folder_.path().c_str(), W_OK) != 0 || ::access(file_.c_str(), W_OK) != 0,
                        "the file can be written");
                const Store store = Store::open(file_, OpenMode::read_only);
                require(store.outcome_total() == outcomes,
                        std::to_string(store.outcome_total()) + " outcomes");
                require(store.outcomes(sample_problem()).size() == static_cast<std::size_t>(outcomes),
                        "outcomes differ");
                require(store.winners().size() == 1, "winners differ");
                require(folder_.names() == before, "side files while reading");
                store.compact_copy(temporary / "copy.db");
                require(Store::open(temporary / "copy.db", OpenMode::read_only).outcome_total() == outcomes,
                        "copy");
                fs::remove(temporary / "copy.db");
                require(temporary.names().empty(), "temporary files while reading");
              }),
              "");
    EXPECT_EQ(folder_.names(), before);
    EXPECT_TRUE(temporary.names().empty());
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "tuning.db";
};

TEST_F(ReadOnlyTest, H02ReadOnlyFileInReadOnlyFolder) {
  make_sample(file_);
  forbid_writing();
  expect_unprivileged_reader_sees(2);
}

TEST_F(ReadOnlyTest, H02WritingIsRefusedAtOnce) {
  make_sample(file_);
  forbid_writing();
  for (const OpenMode mode : {OpenMode::create, OpenMode::read_write}) {
    const std::string message = run_unprivileged([&] { Store::open(file_, mode); });
    EXPECT_THAT(message, testing::HasSubstr(file_.string() + " cannot be written: no permission"));
  }
  fs::permissions(file_, fs::perms{0666});
  EXPECT_THAT(run_unprivileged([&] { Store::open(file_, OpenMode::create); }),
              testing::HasSubstr("no permission for its folder"));
  EXPECT_THAT(run_unprivileged([&] { Store::open(folder_ / "new.db", OpenMode::create); }),
              testing::HasSubstr("no permission for its folder"));
}

TEST_F(ReadOnlyTest, ReadOnlyFileInWritableFolder) {
  make_sample(file_);
  forbid_writing();
  fs::permissions(folder_.path(), fs::perms{0777});
  expect_unprivileged_reader_sees(2);
}

TEST_F(ReadOnlyTest, LiveWalWithItsWriter) {
  make_sample(file_);
  fs::permissions(folder_.path(), fs::perms{0755});
  Store writer = Store::open(file_, OpenMode::read_write);
  writer.add_outcome(1, sample_outcome(64));  // in the WAL only
  ASSERT_GT(fs::file_size(sqlite::side_file(file_, "-wal")), 0U);
  if (::geteuid() != 0) forbid_writing();
  expect_unprivileged_reader_sees(3);
}

TEST_F(ReadOnlyTest, WalLeftByAKilledWriter) {
  // What a crash leaves, taken elsewhere without the -shm file.
  const TemporaryFolder origin;
  make_sample(origin / "tuning.db");
  {
    Store writer = Store::open(origin / "tuning.db", OpenMode::read_write);
    writer.add_outcome(1, sample_outcome(64));
    fs::copy_file(origin / "tuning.db", file_);
    fs::copy_file(origin / "tuning.db-wal", folder_ / "tuning.db-wal");
  }
  forbid_writing();
  expect_unprivileged_reader_sees(3);
}

TEST_F(ReadOnlyTest, JournalLeftByAKilledWriter) {
  const TemporaryFolder origin;
  make_sample(origin / "tuning.db");
  {
    sqlite::Connection writer(origin / "tuning.db", sqlite::Access::read_write);
    writer.execute(
        "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; DELETE FROM outcome; "
        "DELETE FROM winner; CREATE TABLE filler (x); INSERT INTO filler VALUES (zeroblob(400000))");
    fs::copy_file(origin / "tuning.db", file_);  // half changed
    fs::copy_file(origin / "tuning.db-journal", folder_ / "tuning.db-journal");
  }
  ASSERT_GT(fs::file_size(folder_ / "tuning.db-journal"), 0U);
  ASSERT_GT(fs::file_size(file_), 400000U);
  forbid_writing();
  expect_unprivileged_reader_sees(2);
}

TEST_F(ReadOnlyTest, FileThatMayNotBeRead) {
  make_sample(file_);
  fs::permissions(file_, fs::perms{0});
  for (const OpenMode mode : {OpenMode::create, OpenMode::read_write, OpenMode::read_only}) {
    EXPECT_THAT(run_unprivileged([&] { Store::open(file_, mode); }),
                testing::HasSubstr(file_.string() + " cannot be read: no permission"));
  }
  fs::permissions(folder_.path(), fs::perms{0});
  EXPECT_THAT(run_unprivileged([&] { Store::open(file_, OpenMode::read_only); }),
              testing::HasSubstr("no permission"));
}

}  // namespace
}  // namespace warptune::db
