// H03: files that are damaged, foreign or newer. Nothing may change or vanish, and each gives one clear line.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include <warptune/base/file.hpp>

#include "db/sqlite/connection.hpp"
#include "tests/db/support.hpp"

namespace warptune::db {
namespace {

using namespace test;
using sqlite::Access;
using sqlite::Connection;
using testing::ElementsAre;
using testing::HasSubstr;

class DamageTest : public testing::Test {
 protected:
  void write(const std::string& content) { std::ofstream(file_, std::ios::binary) << content; }
  void overwrite(std::streamoff at, const std::string& bytes) {
    std::fstream stream(file_, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(at);
    stream << bytes;
  }
  void alter(const std::string& sql) { Connection(file_, Access::create).execute(sql); }

  // Opening fails in every mode with this kind and a single line that names the file, and alters nothing.
  void expect_refused(ErrorKind kind, bool damage, const std::string& words) {
    const std::string before = read_file(file_);
    for (const OpenMode mode : {OpenMode::create, OpenMode::read_write, OpenMode::read_only}) {
      try {
        Store::open(file_, mode);
        ADD_FAILURE() << "opened " << before.size() << " bytes";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.full_text();
        EXPECT_EQ(is_damage(error), damage) << error.full_text();
        EXPECT_THAT(error.what(), HasSubstr(file_.string()));
        EXPECT_THAT(error.what(), HasSubstr(words));
        EXPECT_FALSE(error.hint().empty());
        EXPECT_EQ(error.full_text().find('\n'), std::string::npos);
      }
      EXPECT_TRUE(read_file(file_) == before) << "altered";
      EXPECT_THAT(folder_.names(), ElementsAre("tuning.db"));
    }
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "tuning.db";
};

TEST_F(DamageTest, H03HalfAFile) {
  make_sample(file_);
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) / 2);
  expect_refused(ErrorKind::database, true, "is damaged");
}

TEST_F(DamageTest, H03FewBytesOfAFile) {
  // SQLite itself takes a single byte for an empty file.
  for (const std::uintmax_t bytes : {2U, 15U, 16U, 99U, 100U, 511U, 512U, 4095U, 4096U}) {
    std::filesystem::remove(file_);
    make_sample(file_);
    std::filesystem::resize_file(file_, bytes);
    expect_refused(ErrorKind::database, true, "is ");
  }
}

TEST_F(DamageTest, H03NoiseAtTheStart) {
  make_sample(file_);
  overwrite(0, std::string("\x8f\x03noise\xff\xfe", 9));
  expect_refused(ErrorKind::database, true, "is not a database");
}

TEST_F(DamageTest, H03TextFile) {
  write("kernel,config,time\ndot,256,17.8\n");
  expect_refused(ErrorKind::database, true, "is not a database");
}

TEST_F(DamageTest, H03EmptyFileCountsAsNew) {
  write("");
  {
    const Store store = Store::open(file_, OpenMode::read_only);
    EXPECT_TRUE(store.winners().empty());
    EXPECT_TRUE(store.problems().empty());
    EXPECT_EQ(store.outcome_total(), 0);
  }
  EXPECT_EQ(std::filesystem::file_size(file_), 0U);
  EXPECT_THAT(folder_.names(), ElementsAre("tuning.db"));
  make_sample(file_);
  EXPECT_EQ(Store::open(file_, OpenMode::read_only).outcome_total(), 2);
}

TEST_F(DamageTest, DatabaseWithoutSchemaCountsAsNew) {
  // What a process leaves that is killed between the switch to WAL and the first migration.
  alter("PRAGMA journal_mode = WAL");
  ASSERT_GT(std::filesystem::file_size(file_), 0U);
  EXPECT_EQ(Store::open(file_, OpenMode::read_only).outcome_total(), 0);
  EXPECT_EQ(Store::open(file_, OpenMode::create).schema_version(), 5);
}

TEST_F(DamageTest, NewerSchema) {
  make_sample(file_);
  alter("PRAGMA user_version = 99");
  expect_refused(ErrorKind::unsupported, false, "schema 99");
}

TEST_F(DamageTest, OtherPrograms) {
  alter("CREATE TABLE bookmarks (url TEXT)");
  expect_refused(ErrorKind::database, false, "another program's database");
  std::filesystem::remove(file_);
  make_sample(file_);
  alter("PRAGMA application_id = 1");
  expect_refused(ErrorKind::database, false, "another program's database");
}

TEST_F(DamageTest, NotAFile) {
  const auto refused = [](const std::filesystem::path& path, const std::string& words) {
    for (const OpenMode mode : {OpenMode::create, OpenMode::read_write, OpenMode::read_only}) {
      try {
        Store::open(path, mode);
        ADD_FAILURE() << "opened " << path;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::database);
        EXPECT_FALSE(is_damage(error));
        EXPECT_THAT(error.full_text(), HasSubstr(path.string() + " " + words));
      }
    }
  };
  refused(folder_.path(), "is a folder");
  refused("/dev/null", "is not a regular file");
  const auto pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  refused(pipe, "is not a regular file");
  std::filesystem::create_symlink("loop", folder_ / "loop");
  refused(folder_ / "loop", "cannot be read: Too many levels of symbolic links");
}

TEST_F(DamageTest, TableThatIsMissing) {
  make_sample(file_);
  alter("DROP VIEW best; DROP TABLE winner");
  const Store store = Store::open(file_, OpenMode::read_only);
  try {
    store.winners();
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_TRUE(is_damage(error));
    EXPECT_THAT(error.what(), HasSubstr("no such table"));
  }
}

// Makes a file of many pages and fills one in the middle with noise.
TEST_F(DamageTest, NoiseInTheMiddle) {
  {
    Store store = Store::open(file_, OpenMode::create);
    const std::int64_t run = store.begin_run(sample_problem(), sample_run());
    for (std::int64_t i = 0; i < 500; ++i) store.add_outcome(run, sample_outcome(i));
    EXPECT_TRUE(store.integrity_ok());
  }
  std::int64_t page = 0;
  {
    Connection connection(file_, Access::read_only);
    page = connection.query_integer("SELECT rootpage FROM sqlite_schema WHERE name = 'outcome'");
  }
  overwrite((page - 1) * 4096, std::string(4096, '\x5a'));
  const Store store = Store::open(file_, OpenMode::read_only);
  EXPECT_FALSE(store.integrity_ok());
  try {
    store.outcomes(sample_problem());
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_TRUE(is_damage(error));
    EXPECT_THAT(error.what(), HasSubstr(file_.string()));
  }
}

TEST_F(DamageTest, FailedWriteLosesNothingStored) {
  make_sample(file_);
  const std::string error = run_unprivileged([&] {
    // The child keeps the rights to its own copy only.
    const auto copy =
        std::filesystem::temp_directory_path() / ("warptune_limit_" + std::to_string(::getpid()) + ".db");
    make_sample(copy);
    std::int64_t stored = 2;
    bool failed = false;
    {
      Store store = Store::open(copy, OpenMode::read_write);
      const std::int64_t run = store.begin_run(sample_problem(), sample_run());
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{300'000, RLIM_INFINITY};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      try {
        for (std::int64_t i = 0; i < 10'000; ++i, ++stored) store.add_outcome(run, sample_outcome(i));
      } catch (const Error&) {
        failed = true;
      }
    }
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &none);
    Store store = Store::open(copy, OpenMode::read_write);
    const std::int64_t total = store.outcome_total();
    const bool sound = store.integrity_ok();
    std::filesystem::remove(copy);
    std::filesystem::remove(copy.string() + "-wal");
    std::filesystem::remove(copy.string() + "-shm");
    require(failed, "the limit was not reached");
    require(stored > 10, "hardly anything was stored");
    require(total == stored, std::to_string(total) + " rows of " + std::to_string(stored));
    require(sound, "the file is damaged");
  });
  EXPECT_EQ(error, "");
}

// SQLite quotes from the file; found by tests/fuzz.
TEST_F(DamageTest, MessagesAreOneLineWhateverTheFileHolds) {
  const Error error = sqlite::damaged(file_, "near \"a\nb\tc\": syntax error");
  EXPECT_EQ(error.full_text().find_first_of("\n\t"), std::string::npos) << error.full_text();
  EXPECT_TRUE(is_damage(error));
}

TEST_F(DamageTest, SetAsideKeepsTheDamagedFile) {
  write("first");
  EXPECT_EQ(set_aside(file_), std::filesystem::canonical(folder_.path()) / "tuning.db.damaged-1");
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_EQ(read_file(folder_ / "tuning.db.damaged-1"), "first");

  // The next one takes another name, side files included.
  write("second");
  std::ofstream(folder_ / "tuning.db-shm") << "side";
  std::ofstream(folder_ / "tuning.db.damaged-2-wal") << "taken";
  EXPECT_EQ(set_aside(file_).filename(), "tuning.db.damaged-3");
  EXPECT_EQ(read_file(folder_ / "tuning.db.damaged-1"), "first");
  EXPECT_EQ(read_file(folder_ / "tuning.db.damaged-3"), "second");
  EXPECT_EQ(read_file(folder_ / "tuning.db.damaged-3-shm"), "side");
  make_sample(file_);
  EXPECT_EQ(Store::open(file_, OpenMode::read_only).outcome_total(), 2);
}

TEST_F(DamageTest, SetAsideLeavesSoundAndMissingFilesAlone) {
  EXPECT_TRUE(set_aside(file_).empty());
  make_sample(file_);
  EXPECT_TRUE(set_aside(file_).empty());
  EXPECT_THAT(folder_.names(), ElementsAre("tuning.db"));
  alter("PRAGMA application_id = 1");
  EXPECT_THROW(set_aside(file_), Error);  // another program's: not damaged, not ours to move
  EXPECT_THAT(folder_.names(), ElementsAre("tuning.db"));
}

TEST_F(DamageTest, ManyProcessesSetAsideOnce) {
  constexpr int processes = 6;
  for (int round = 1; round <= 5; ++round) {
    write("noise of round " + std::to_string(round));
    std::vector<pid_t> children;
    for (int i = 0; i < processes; ++i) {
      children.push_back(::fork());
      if (children.back() != 0) continue;
      int code = 0;
      try {
        const auto open = [&] {
          for (;;) {
            try {
              return Store::open(file_, OpenMode::create);
            } catch (const Error& error) {
              if (!is_damage(error)) throw;
            }
            set_aside(file_);
          }
        };
        Store store = open();
        store.add_outcome(store.begin_run(sample_problem(i), sample_run()), sample_outcome());
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        code = 1;
      }
      ::_exit(code);
    }
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(Store::open(file_, OpenMode::read_only).problems().size(), static_cast<std::size_t>(processes));
    EXPECT_EQ(read_file(file_.string() + ".damaged-" + std::to_string(round)),
              "noise of round " + std::to_string(round));
    EXPECT_FALSE(std::filesystem::exists(file_.string() + ".damaged-" + std::to_string(round + 1)));
    std::filesystem::remove(file_);
  }
}

}  // namespace
}  // namespace warptune::db
