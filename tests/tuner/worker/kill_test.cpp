// H01, H16: 200 rounds of kill -9 at random moments, of the tuner or of one of its workers. What was reported as stored is
// stored, the file is sound, and no process stays.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "tests/tuner/worker/tuning_program.hpp"

namespace warptune::test {
namespace {

// Four parts of 50 rounds each, which may run at the same time.
class Killed : public TuningProgram, public ::testing::WithParamInterface<unsigned> {};

TEST_P(Killed, H01NothingThatWasReportedIsLost) {
  constexpr int rounds = 50;
  std::mt19937 random(GetParam());
  // Kills come at any moment of the first part of a run, however long this machine takes for one.
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(run(tune(R"("right", "slow", "half", "segfault", "refused", "illegal")", {})).code, 0);
  const std::chrono::duration<double, std::milli> whole = std::chrono::steady_clock::now() - start;
  std::filesystem::remove(folder_ / "tuning.db");
  // Longer when a round came to nothing: the machine has more to do than when it was asked.
  double longest_ms = std::max(700.0, whole.count() / 6);
  const double limit_ms = 10 * longest_ms;
  int tuners_killed = 0, workers_killed = 0, reported = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round % 10 == 0) std::filesystem::remove(folder_ / "tuning.db");
    // A fresh search now and then; else each round goes on where the one before was killed.
    const std::vector<std::string> words =
        tune(R"("right", "slow", "half", "segfault", "refused", "illegal")",
             round % 10 == 9 ? std::vector<std::string>{"--fresh"} : std::vector<std::string>{});
    const auto before = std::filesystem::exists(folder_ / "tuning.db") ? stored() : decltype(stored()){};
    const int process = start_program(words, folder_ / ".");
    std::this_thread::sleep_for(
        std::chrono::milliseconds(std::uniform_int_distribution(20, static_cast<int>(longest_ms))(random)));
    const std::vector<int> workers = workers_of(folder_ / "");
    if (round % 2 == 0 || workers.empty()) {
      ::kill(process, SIGKILL);
      ++tuners_killed;
    } else {
      ::kill(workers[random() % workers.size()], SIGKILL);
      ++workers_killed;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      ::kill(process, SIGTERM);
    }
    const int code = wait_for(process);
    EXPECT_TRUE(code == 128 + SIGKILL || code == 128 + SIGTERM || code == 0)
        << code << content(folder_ / "err");
    ASSERT_TRUE(no_worker_stays(folder_ / "")) << "round " << round;
    const std::vector<Json> outcomes = events(content(folder_ / "out"), "outcome");
    if (outcomes.empty()) longest_ms = std::min(1.15 * longest_ms, limit_ms);
    if (!std::filesystem::exists(folder_ / "tuning.db")) {
      ASSERT_TRUE(outcomes.empty());
      ASSERT_TRUE(before.empty());
      continue;
    }
    ASSERT_TRUE(open().integrity_ok());
    const auto now = stored();
    for (const auto& [name, status] : before)
      ASSERT_TRUE(now.contains(name)) << name << " of an earlier round";
    for (const Json& outcome : outcomes) {
      const std::string name = config_name(outcome);
      ASSERT_TRUE(now.contains(name)) << name << " was reported in round " << round;
      // A kill from outside is none of the candidate's: only those that crash by themselves did.
      const bool crashes = name.starts_with("segfault") || name.starts_with("illegal");
      EXPECT_EQ(outcome["status"] == "crashed", crashes) << outcome.dump();
    }
    reported += static_cast<int>(outcomes.size());
  }
  EXPECT_GT(tuners_killed, rounds / 3);
  EXPECT_GT(workers_killed, rounds / 4);
  EXPECT_GT(reported, rounds) << "the rounds ended before anything was measured";
}

INSTANTIATE_TEST_SUITE_P(Seeds, Killed, ::testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace warptune::test
