// `warptune bench` on a GPU: what it stores about libraries. Skipped where there is no GPU or no cuBLAS.
#include <gtest/gtest.h>

#include <warptune/db/store.hpp>
#include <warptune/runtime/device.hpp>

#include "tests/tuner/cli/program.hpp"

namespace warptune::test {
namespace {

class BenchCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (runtime::cuda_device_count(&why) == 0) GTEST_SKIP() << "no GPU: " << why;
    const ProgramResult tuned =
        run({"tune", "dot", "--types", "T=half", "--dims", "n=2^16", "--trials", "5"});
    ASSERT_EQ(tuned.code, 0) << tuned.err;
  }
  ProgramResult run(const std::vector<std::string>& words) { return run_program(words, folder_ / "."); }
  ProgramResult bench(std::vector<std::string> more) {
    std::vector<std::string> words = {"bench",  "dot",       "--types", "T=half",   "--dims",
                                      "n=2^16", "--library", "cublas",  "--rounds", "6"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  std::vector<db::ReferenceTime> stored() {
    return db::Store::open(folder_ / "tuning.db", db::OpenMode::read_only).reference_times("dot");
  }
  TemporaryFolder folder_;
};

TEST_F(BenchCommand, StoresTheLibrariesTimesWithOursBeside) {
  const ProgramResult result = bench({});
  if (result.err.find("libcublas is not found") != std::string::npos) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.code, 0) << result.err;
  const std::vector<db::ReferenceTime> times = stored();
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].library, "cublas");
  EXPECT_EQ(times[0].call, "cublasDotEx");
  EXPECT_FALSE(times[0].library_version.empty());
  EXPECT_EQ(times[0].samples, 6);
  ASSERT_TRUE(times[0].beside);
  // The median of ratios and the ratio of medians are of the same rounds.
  EXPECT_NEAR(times[0].beside->speedup, times[0].time_ns / times[0].beside->time_ns,
              0.2 * times[0].beside->speedup);
  const ProgramResult report = run({"report", "-o", "report.html"});
  ASSERT_EQ(report.code, 0) << report.err;
  EXPECT_NE(content(folder_ / "report.html").find("cublasDotEx"), std::string::npos);
}

TEST_F(BenchCommand, NoSaveLeavesTheFileAsItIs) {
  const ProgramResult result = bench({"--no-save"});
  if (result.err.find("libcublas is not found") != std::string::npos) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(stored().empty());
}

}  // namespace
}  // namespace warptune::test
