// H02 to H04 and H06 at run time: unusable files and winners that fail here. The call always computes.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/dispatch_fixture.hpp"

namespace warptune::testing {
namespace {

using runtime::Match;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DispatchFailure : public DispatchTest {
 protected:
  // Ten calls give right results; `warnings`: lines other than the notice that nothing is tuned.
  std::vector<std::string> warnings_of_ten_calls(Match expected) {
    auto runtime = open();
    const auto kernel = this->kernel(runtime);
    const TallyOperands operands(*device_, 1024);
    for (int call = 0; call < 10; ++call) {
      EXPECT_EQ(run_tally(kernel, operands, 1024), expected);
      EXPECT_EQ(operands.result(), 1024.0f);
    }
    std::vector<std::string> warnings;
    for (const std::string& line : lines()) {
      if (line.find("To tune it") == std::string::npos) warnings.push_back(line);
    }
    return warnings;
  }
  void write_database(const std::string& content) { std::ofstream(database(), std::ios::binary) << content; }
  void expect_one_warning_naming_the_file() {
    const std::vector<std::string> warnings = warnings_of_ten_calls(Match::default_config);
    ASSERT_THAT(warnings, SizeIs(1));
    EXPECT_THAT(warnings[0], HasSubstr(database().string()));
  }
};

TEST_F(DispatchFailure, H03MissingFile) { expect_one_warning_naming_the_file(); }

TEST_F(DispatchFailure, H03Folder) {
  std::filesystem::create_directory(database());
  expect_one_warning_naming_the_file();
}

TEST_F(DispatchFailure, H03AnotherFileUnderThatName) {
  write_database("This is a letter, and no database.\n");
  expect_one_warning_naming_the_file();
}

TEST_F(DispatchFailure, H03CutInHalf) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  std::filesystem::resize_file(database(), std::filesystem::file_size(database()) / 2);
  expect_one_warning_naming_the_file();
}

TEST_F(DispatchFailure, H03FirstBytesOverwritten) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  std::fstream file(database(), std::ios::in | std::ios::out | std::ios::binary);
  file << std::string(200, '\xa5');
  file.close();
  expect_one_warning_naming_the_file();
}

TEST_F(DispatchFailure, H03OfANewerSchema) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  std::fstream file(database(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(60);  // where the file format of SQLite keeps the version of the schema
  file << std::string("\0\0\0\x63", 4);
  file.close();
  const std::vector<std::string> warnings = warnings_of_ten_calls(Match::default_config);
  ASSERT_THAT(warnings, SizeIs(1));
  EXPECT_THAT(warnings[0], HasSubstr("schema 99"));
}

TEST_F(DispatchFailure, H03AnEmptyFileCountsAsNew) {
  write_database("");
  EXPECT_THAT(warnings_of_ten_calls(Match::default_config), IsEmpty());
}

TEST_F(DispatchFailure, H02ReadOnlyFileInAReadOnlyFolder) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  const auto folder = folder_ / "locked";
  std::filesystem::create_directory(folder);
  std::filesystem::rename(database(), folder / "tuning.db");
  std::filesystem::permissions(folder / "tuning.db", std::filesystem::perms::owner_read);
  std::filesystem::permissions(folder,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  {
    runtime::RuntimeOptions options;
    options.compiler = compiler_;
    options.cache_folder = folder_ / "cache";
    auto runtime = runtime::Runtime::open(folder / "tuning.db", options, device_);
    const TallyOperands operands(*device_, 1024);
    EXPECT_EQ(run_tally(kernel(runtime), operands, 1024), Match::tuned);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
}

TEST_F(DispatchFailure, H06RowsOfAnotherDeviceDoNotServe) {
  spec::DeviceTraits other = stub_traits();
  other.sm_count += 1;
  store({tally_winner({.config = tally_config(128, 1, "one")}, other)});
  EXPECT_THAT(warnings_of_ten_calls(Match::default_config), IsEmpty());
}

TEST_F(DispatchFailure, H06AnotherDriverIsUsedAndMarked) {
  auto row = tally_winner({.config = tally_config(128, 1, "one")});
  row.toolchain.driver_version += 10;
  store({row});
  EXPECT_THAT(warnings_of_ten_calls(Match::tuned), IsEmpty());
  auto runtime = open();
  const std::int64_t dims[] = {1024, 1};
  EXPECT_TRUE(kernel(runtime).select(dims).other_toolchain);
}

class DispatchBadRow : public DispatchFailure, public ::testing::WithParamInterface<db::NamedValues> {};

TEST_P(DispatchBadRow, H04IsReportedOnceAndNotUsed) {
  store({tally_winner({.config = GetParam()})});
  const std::vector<std::string> warnings = warnings_of_ten_calls(Match::default_config);
  ASSERT_THAT(warnings, SizeIs(1));
  EXPECT_THAT(warnings[0], HasSubstr(database().string()));
  EXPECT_THAT(warnings[0], HasSubstr("n=1024"));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DispatchBadRow,
    ::testing::Values(db::NamedValues{{"BLOCK", 64}, {"PACK", 1}, {"MODE", "one"}, {"WARPS", 4}},
                      tally_config(65, 1, "one"),      // outside the list
                      tally_config(2048, 1, "one")));  // too many threads

TEST_F(DispatchFailure, H04AWinnerThatDoesNotCompileGivesWayToTheNextBest) {
  store({tally_winner({.config = tally_config(128, 2, "one"), .alignment_bytes = 8}),
         tally_winner({.config = tally_config(32, 1, "one"), .alignment_bytes = 4})});
  compiler_->fail_entries("tally<float, 128", "tally.cu(7): error: no such thing");
  const std::vector<std::string> warnings = warnings_of_ten_calls(Match::tuned);
  ASSERT_THAT(warnings, SizeIs(1));
  EXPECT_THAT(warnings[0], HasSubstr("BLOCK=128 PACK=2 MODE=one"));
  std::size_t attempts = 0;
  for (const auto& program : compiler_->programs())
    attempts += program.front().find("128") != std::string::npos ? 1 : 0;
  EXPECT_LE(attempts, 1U);
}

TEST_F(DispatchFailure, H04AWinnerThatDoesNotLaunchGivesWayAndIsNotTriedAgain) {
  store({tally_winner({.config = tally_config(128, 1, "two")})});
  device_->fail_kernels("tally<float, 128", Error(ErrorKind::cuda, "too many resources requested", {}, 701));
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 2048);
  const std::int64_t dims[] = {1024, 1};
  EXPECT_EQ(kernel.select(dims).match, Match::tuned);
  for (int call = 0; call < 10; ++call) {
    EXPECT_EQ(run_tally(kernel, operands, 1024), Match::default_config);
    EXPECT_EQ(operands.result(), 1024.0f);
  }
  EXPECT_EQ(run_tally(kernel, operands, 2048), Match::default_config);  // remembered for other dims too
  EXPECT_THAT(lines("cannot run here"), SizeIs(1));
  EXPECT_EQ(kernel.select(dims).match, Match::default_config);
  EXPECT_THAT(kernel.select(dims).reason, HasSubstr("too many resources"));
}

TEST_F(DispatchFailure, AWinnerBeyondTheKernelsOwnThreadLimitIsNotLaunched) {
  store({tally_winner({.config = tally_config(256, 1, "one")})});
  spec::KernelTraits traits;
  traits.max_threads_per_block = 128;
  compiler_->set_traits("tally<float, 256", traits);
  const std::vector<std::string> warnings = warnings_of_ten_calls(Match::default_config);
  ASSERT_THAT(warnings, SizeIs(1));
  EXPECT_THAT(warnings[0], HasSubstr("allows 128"));
}

TEST_F(DispatchFailure, AKernelThatTakesOtherArgumentsThanItsManifestGivesIsNotLaunched) {
  // The manifest gives four pointers, a long long and an int.
  device_->define<const float*, float*, double*, unsigned int*, int, int>(
      "tally", [](const StubLaunch&, const float*, float*, double*, unsigned int*, int, int) {});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  try {
    run_tally(kernel, operands, 1024);
    FAIL() << "the driver would have read eight bytes where the kernel has four";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("6 of 8, 8, 8, 8, 4, 4 bytes, not 6 of 8, 8, 8, 8, 8, 4 bytes"));
  }
  EXPECT_EQ(device_->launch_count(), 0U);
}

TEST_F(DispatchFailure, ADefaultThatDoesNotCompileIsAnError) {
  compiler_->fail_entries("tally<float, 64", "tally.cu(7): error: no such thing");
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  try {
    run_tally(kernel, operands, 1024);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::compile);
    EXPECT_THAT(error.what(), HasSubstr("no such thing"));
  }
}

TEST_F(DispatchFailure, OutOfMemoryIsNoFaultOfTheConfig) {
  store({tally_winner({.config = tally_config(32, 1, "two")})});
  auto runtime = open();
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  device_->set_memory_limit(device_->live_bytes());
  EXPECT_THROW(run_tally(kernel, operands, 1024), Error);
  device_->set_memory_limit(std::size_t{1} << 30);
  EXPECT_EQ(run_tally(kernel, operands, 1024), Match::tuned);
  EXPECT_EQ(operands.result(), 1024.0f);
}

TEST_F(DispatchFailure, AHookThatThrowsFailsNoCall) {
  runtime::RuntimeOptions options;
  options.compiler = compiler_;
  options.cache_folder = folder_ / "cache";
  options.warn = [](const std::string&) { throw std::runtime_error("hook"); };
  auto runtime = runtime::Runtime::open(database(), options, device_);
  const TallyOperands operands(*device_, 1024);
  EXPECT_EQ(run_tally(kernel(runtime), operands, 1024), Match::default_config);
}

}  // namespace
}  // namespace warptune::testing
