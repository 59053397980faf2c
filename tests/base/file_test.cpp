#include <warptune/base/error.hpp>
#include <warptune/base/file.hpp>
#include <warptune/base/temporary_folder.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace warptune {
namespace {

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "warptune_file_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static ErrorKind kind_of(const std::filesystem::path& path, std::size_t limit) {
    try {
      read_file(path, limit);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  }

  std::filesystem::path folder_;
};

TEST_F(FileTest, NobodyElseMayWriteWhatIsMadeWhateverTheUmask) {
  const mode_t umask_before = ::umask(0);
  publish_file(folder_ / "a/b/x.bin", "content");
  ::umask(umask_before);
  constexpr auto others = std::filesystem::perms::others_write | std::filesystem::perms::group_write;
  for (const char* name : {"a", "a/b", "a/b/x.bin"})
    EXPECT_EQ(std::filesystem::status(folder_ / name).permissions() & others, std::filesystem::perms::none)
        << name;
}

TEST_F(FileTest, PublishesIntoNewFoldersAndReadsBack) {
  const auto path = folder_ / "a" / "b" / "x.bin";
  const std::string content("zero\0byte\n", 10);
  publish_file(path, content);
  EXPECT_EQ(read_file(path), content);
  publish_file(path, "");
  EXPECT_EQ(read_file(path), "");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path.parent_path())) ++files;
  EXPECT_EQ(files, 1u) << "a temporary file was left behind";
}

TEST_F(FileTest, RefusesMissingFoldersAndLargeFiles) {
  publish_file(folder_ / "ten", "0123456789");
  EXPECT_EQ(kind_of(folder_ / "none", 100), ErrorKind::not_found);
  EXPECT_EQ(kind_of(folder_, 100), ErrorKind::io);
  EXPECT_EQ(kind_of(folder_ / "ten", 9), ErrorKind::io);
  EXPECT_EQ(read_file(folder_ / "ten", 10), "0123456789");
}

TEST_F(FileTest, CannotPublishOverAFolder) {
  std::filesystem::create_directory(folder_ / "taken");
  EXPECT_THROW(publish_file(folder_ / "taken", "x"), Error);
}

TEST_F(FileTest, TemporaryFoldersArePrivateAndGoAwayWithWhatIsInThem) {
  std::filesystem::path path;
  {
    const TemporaryFolder one, other;
    path = one.path();
    EXPECT_NE(path, other.path());
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
    publish_file(path / "a" / "b", "x");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", (folder_ / "none").c_str(), 1);
  EXPECT_THROW(TemporaryFolder(), Error);
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace warptune
