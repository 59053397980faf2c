#include <warptune/base/error.hpp>
#include <warptune/base/file.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace
}  // namespace warptune
