// What becomes of launches whose problem was not tuned: default, nearest, written down, tuned.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/dispatch_fixture.hpp"

namespace warptune::testing {
namespace {

using runtime::Match;
using runtime::Miss;
using runtime::OnMiss;
using runtime::StreamHandle;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> found;
  for (std::string line; std::getline(stream, line);) found.push_back(line);
  return found;
}

class DispatchMisses : public DispatchTest {
 protected:
  runtime::Runtime open_with(OnMiss on_miss, runtime::TuneMiss tuner = {}) {
    runtime::RuntimeOptions options = this->options();
    options.on_miss = on_miss;
    options.tuner = std::move(tuner);
    return runtime::Runtime::open(database(), options, device_);
  }
  std::filesystem::path misses() const { return database().string() + ".misses"; }
  // A tuner that finds BLOCK=256 for every problem, and remembers what it was asked.
  runtime::TuneMiss finds_256() {
    return [this](const Miss& miss) {
      asked_.push_back(miss.problem.dims.at("n"));
      return std::vector{tally_winner({.n = miss.problem.dims.at("n"),
                                       .k = miss.problem.dims.at("k"),
                                       .config = tally_config(256, 1, "one")})};
    };
  }
  std::vector<std::int64_t> asked_;
};

TEST_F(DispatchMisses, DefaultMeansThatOnlyEqualDimsAreServed) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  auto runtime = open_with(OnMiss::default_config);
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 2048);
  EXPECT_EQ(run_tally(kernel, operands, 1024), Match::tuned);
  EXPECT_EQ(run_tally(kernel, operands, 1025), Match::default_config);
  EXPECT_THAT(lines("only equal ones"), SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(misses()));
}

TEST_F(DispatchMisses, RecordWritesEachProblemOnce) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  auto runtime = open_with(OnMiss::record);
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 200'000);
  for (int round = 0; round < 100; ++round) {
    EXPECT_EQ(run_tally(kernel, operands, 1024), Match::tuned);
    EXPECT_EQ(run_tally(kernel, operands, 1500), Match::nearest);
    EXPECT_EQ(run_tally(kernel, operands, 200'000), Match::default_config);
  }
  const std::vector<std::string> written = lines_of(misses());
  ASSERT_THAT(written, SizeIs(2));
  EXPECT_EQ(written[0],
            "{\"warptune_miss\":1,\"kernel\":\"" + manifest().string() +
                "\",\"types\":{\"T\":\"float\"},\"dims\":{\"k\":1,\"n\":1500},\"attributes\":{},\"allow\":"
                "\"exact\","
                "\"policy\":\"cold\",\"device\":{\"model\":\"Stub "
                "GPU\",\"compute_capability\":90,\"sm_count\":4,\"l2_bytes\":65536,\"memory_gib\":1}}");
  EXPECT_THAT(written[1], HasSubstr("\"n\":200000"));
  EXPECT_THAT(lines("warptune tune --misses " + misses().string() + " --db " + database().string()),
              SizeIs(1));
}

TEST_F(DispatchMisses, PreparingAgainAndEmptyProblemsWriteNothing) {
  auto runtime = open_with(OnMiss::record);
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 8);
  run_tally(kernel, operands, 0);
  EXPECT_FALSE(std::filesystem::exists(misses()));
  EXPECT_THAT(lines("To tune it"), IsEmpty()) << "nothing can be tuned where there is nothing to do";
  const std::int64_t dims[] = {8, 1};
  for (int i = 0; i < 3; ++i) kernel.prepare(runtime::legacy_stream, dims);
  EXPECT_THAT(lines_of(misses()), SizeIs(1));
}

TEST_F(DispatchMisses, ProcessesShareTheFileWithoutTearingLines) {
  constexpr int processes = 6, problems = 40;
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    children.push_back(::fork());
    if (children.back() == 0) {
      // A child of a test: it must neither return nor report.
      bool right = true;
      {
        auto runtime = open_with(OnMiss::record);
        const auto kernel = this->kernel(runtime);
        const TallyOperands operands(*device_, 1000);
        for (int i = 1; i <= problems; ++i)
          right = right && run_tally(kernel, operands, i) == Match::default_config;
      }
      ::_exit(right ? 0 : 1);
    }
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  std::map<std::string, int> count;
  for (const std::string& line : lines_of(misses())) {
    EXPECT_TRUE(line.starts_with("{\"warptune_miss\":1,") && line.ends_with("}}")) << line;
    ++count[line];
  }
  EXPECT_THAT(count, SizeIs(problems));
  for (const auto& [line, times] : count) EXPECT_LE(times, processes) << line;
}

TEST_F(DispatchMisses, APartOfALineFromAKilledWriterSpoilsNoOther) {
  std::ofstream(misses()) << "{\"warptune_mi";
  auto runtime = open_with(OnMiss::record);
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 8);
  run_tally(kernel, operands, 8);
  const std::vector<std::string> written = lines_of(misses());
  ASSERT_THAT(written, SizeIs(2));
  EXPECT_THAT(written[1], HasSubstr("\"n\":8}"));
}

TEST_F(DispatchMisses, AFullFileIsLeftAloneAndSaidOnce) {
  const std::string before(std::size_t{1} << 20, '\n');
  std::ofstream(misses()) << before;
  auto runtime = open_with(OnMiss::record);
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 64);
  for (std::int64_t n = 1; n <= 20; ++n) EXPECT_EQ(run_tally(kernel, operands, n), Match::default_config);
  EXPECT_EQ(std::filesystem::file_size(misses()), before.size());
  EXPECT_THAT(lines("not written down any more"), SizeIs(1));
}

TEST_F(DispatchMisses, AFileThatCannotBeWrittenFailsNoLaunch) {
  std::filesystem::create_directory(misses());
  auto runtime = open_with(OnMiss::record);
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 64);
  for (std::int64_t n = 1; n <= 20; ++n) EXPECT_EQ(run_tally(kernel, operands, n), Match::default_config);
  EXPECT_THAT(lines("not written down any more"), SizeIs(1));
}

TEST_F(DispatchMisses, TuneServesTheLaunchThatMissed) {
  auto runtime = open_with(OnMiss::tune, finds_256());
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 4096);
  for (int call = 0; call < 5; ++call) {
    EXPECT_EQ(run_tally(kernel, operands, 4096), Match::tuned);
    EXPECT_EQ(operands.result(), 4096.0f);
  }
  const std::int64_t dims[] = {4096, 1};
  EXPECT_EQ(kernel.select(dims).config, "BLOCK=256 PACK=1 MODE=one");
  EXPECT_THAT(asked_, ElementsAre(4096));
  EXPECT_EQ(run_tally(kernel, operands, 0), Match::default_config);
  EXPECT_THAT(asked_, SizeIs(1)) << "there is nothing to tune without elements";
  EXPECT_THAT(lines("To tune it"), IsEmpty());
}

TEST_F(DispatchMisses, ATunedProblemIsNotTunedAgain) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  auto runtime = open_with(OnMiss::tune, finds_256());
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 2048);
  EXPECT_EQ(run_tally(kernel, operands, 1024), Match::tuned);
  EXPECT_THAT(asked_, IsEmpty());
  EXPECT_EQ(run_tally(kernel, operands, 2048), Match::tuned);  // in the place of a nearest
  EXPECT_THAT(asked_, ElementsAre(2048));
}

TEST_F(DispatchMisses, NothingIsTunedInACapture) {
  store({tally_winner({.config = tally_config(128, 1, "one")})});
  auto runtime = open_with(OnMiss::tune, finds_256());
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 2048);
  const StreamHandle stream = device_->create_stream();
  device_->begin_capture(stream);
  EXPECT_THROW(run_tally(kernel, operands, 2048, 1, stream), Error);
  EXPECT_NO_THROW(device_->end_capture(stream));
  EXPECT_THAT(asked_, IsEmpty());
  device_->destroy_stream(stream);
}

TEST_F(DispatchMisses, ATunerThatFailsIsOneWarningAndTheDefaultRuns) {
  int asked = 0;
  auto runtime = open_with(OnMiss::tune, [&](const Miss&) -> std::vector<db::StoredWinner> {
    ++asked;
    throw Error(ErrorKind::not_found, "no warptune-worker");
  });
  const auto kernel = this->kernel(runtime);
  const TallyOperands operands(*device_, 4096);
  for (int call = 0; call < 5; ++call) EXPECT_EQ(run_tally(kernel, operands, 4096), Match::default_config);
  EXPECT_EQ(asked, 1);
  EXPECT_THAT(lines("no warptune-worker"), SizeIs(1));
}

TEST_F(DispatchMisses, TuneWithoutATunerIsRefusedWithWhatToDo) {
  try {
    open_with(OnMiss::tune);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.hint(), HasSubstr("miss_tuner()"));
  }
}

}  // namespace
}  // namespace warptune::testing
