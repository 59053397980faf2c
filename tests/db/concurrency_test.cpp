// H01 and H16: many processes, one file, killed at random; what was reported as stored is there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include <warptune/base/file.hpp>

#include "tests/db/support.hpp"

namespace warptune::db {
namespace {

using namespace test;

constexpr int processes = 8;

// Starts a child that runs `body` and exits with 0, or with 1 after an exception.
template <class Body>
pid_t start(Body body) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int code = 0;
  try {
    body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "child: %s\n", error.what());
    code = 1;
  }
  ::_exit(code);
}

int wait_for(pid_t child) {
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

// Appends a config number after it was stored; what is written survives the end of the process.
class Acknowledgements {
 public:
  explicit Acknowledgements(const std::filesystem::path& file)
      : descriptor_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600)) {
    require(descriptor_ >= 0, "no file of acknowledgements");
  }
  ~Acknowledgements() { ::close(descriptor_); }
  Acknowledgements(const Acknowledgements&) = delete;
  Acknowledgements& operator=(const Acknowledgements&) = delete;
  void add(std::int64_t number) {
    const std::string line = std::to_string(number) + "\n";
    require(::write(descriptor_, line.data(), line.size()) == static_cast<ssize_t>(line.size()),
            "not acknowledged");
  }

 private:
  int descriptor_;
};

std::set<std::int64_t> read_acknowledgements(const std::filesystem::path& file) {
  std::set<std::int64_t> result;
  if (!std::filesystem::exists(file)) return result;  // killed before the first
  std::string text = read_file(file);
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    result.insert(std::stoll(text.substr(at, end - at)));
  }
  return result;
}

TEST(Concurrency, H01NothingReportedAsStoredIsLost) {
  const TemporaryFolder folder;
  std::minstd_rand random(20240607);
  constexpr int files = 5, rounds_per_file = 3, outcomes = 60;
  std::size_t acknowledged = 0;
  int killed = 0;
  for (int file_number = 0; file_number < files; ++file_number) {
    const auto file = folder / ("tuning" + std::to_string(file_number) + ".db");
    for (int round = 0; round < rounds_per_file; ++round) {
      const auto acknowledgements = [&](int child) {
        return folder / ("ack" + std::to_string(file_number) + "_" + std::to_string(child));
      };
      // Two of eight are killed; in the first round of a file while it is being made. They never end by themselves.
      std::set<std::size_t> victims;
      while (victims.size() < 2) victims.insert(random() % processes);
      std::vector<pid_t> children;
      for (int child = 0; child < processes; ++child) {
        children.push_back(start([&] {
          const bool endless = victims.contains(static_cast<std::size_t>(child));
          const std::int64_t first = endless ? (round + 1) * 1'000'000 : round * outcomes;
          Acknowledgements stored(acknowledgements(child));
          Store store = Store::open(file, OpenMode::create);
          const std::int64_t run = store.begin_run(sample_problem(child), sample_run());
          for (std::int64_t number = first; endless || number < first + outcomes; ++number) {
            store.add_outcome(run, sample_outcome(number));
            stored.add(number);
          }
          store.end_run(run, sample_end(), {sample_winner(round)});
        }));
      }
      for (const std::size_t victim : victims) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % (round == 0 ? 12'000 : 40'000)));
        ::kill(children[victim], SIGKILL);
      }
      for (std::size_t child = 0; child < children.size(); ++child) {
        const int status = wait_for(children[child]);
        if (victims.contains(child) && WIFSIGNALED(status)) {
          ++killed;
        } else {
          EXPECT_EQ(status, 0) << "child " << child;
        }
      }
      const Store store = Store::open(file, OpenMode::read_only);
      ASSERT_TRUE(store.integrity_ok());
      for (int child = 0; child < processes; ++child) {
        std::set<std::int64_t> stored;
        for (const StoredOutcome& outcome : store.outcomes(sample_problem(child))) {
          stored.insert(std::get<std::int64_t>(outcome.outcome.config.at("NUM_THREADS")));
        }
        const std::set<std::int64_t> reported = read_acknowledgements(acknowledgements(child));
        EXPECT_TRUE(std::includes(stored.begin(), stored.end(), reported.begin(), reported.end()))
            << "child " << child;
        if (round == rounds_per_file - 1) acknowledged += reported.size();
      }
      EXPECT_TRUE(store.faults().empty());
    }
  }
  EXPECT_EQ(killed, 2 * files * rounds_per_file);
  EXPECT_GT(acknowledged, static_cast<std::size_t>(files * rounds_per_file * processes * outcomes / 2));
}

TEST(Concurrency, ManyProcessesMakeOneFileAtOnce) {
  const TemporaryFolder folder;
  for (int round = 0; round < 25; ++round) {
    const auto file = folder / ("new" + std::to_string(round) + ".db");
    int gate[2];
    ASSERT_EQ(::pipe(gate), 0);
    std::vector<pid_t> children;
    for (int child = 0; child < processes; ++child) {
      children.push_back(start([&] {
        ::close(gate[1]);
        char byte = 0;
        require(::read(gate[0], &byte, 1) == 0, "gate");  // opens when the parent closes its end
        Store store = Store::open(file, OpenMode::create);
        store.add_outcome(store.begin_run(sample_problem(), sample_run()), sample_outcome(child));
      }));
    }
    ::close(gate[0]);
    ::close(gate[1]);
    for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
    const Store store = Store::open(file, OpenMode::read_only);
    EXPECT_EQ(store.outcome_total(), processes);
    EXPECT_EQ(store.problems().size(), 1U);
  }
}

TEST(Concurrency, ReadersSeeWholeTransactions) {
  const TemporaryFolder folder;
  const auto file = folder / "tuning.db";
  make_sample(file);
  const pid_t writer = start([&] {
    Store store = Store::open(file, OpenMode::read_write);
    for (std::int64_t i = 0; i < 150; ++i) {
      store.end_run(store.begin_run(sample_problem(), sample_run()), sample_end(), {sample_winner(i)});
    }
  });
  int reads = 0;
  for (int status = 0; ::waitpid(writer, &status, WNOHANG) == 0; ++reads) {
    const Store store = Store::open(file, OpenMode::read_only);
    ASSERT_EQ(store.winners().size(), 1U);
    ASSERT_EQ(store.outcome_total(), 2);
    ASSERT_TRUE(store.faults().empty());
  }
  EXPECT_GT(reads, 3);
  EXPECT_EQ(Store::open(file, OpenMode::read_only).winners().at(0).winner.config, sample_config(149));
}

TEST(Concurrency, H16OutcomesOfAnInterruptedRunAreKept) {
  const TemporaryFolder folder;
  const auto file = folder / "tuning.db";
  const pid_t child = start([&] {
    Store store = Store::open(file, OpenMode::create);
    const std::int64_t run = store.begin_run(sample_problem(), sample_run());
    for (std::int64_t i = 0; i < 5; ++i) store.add_outcome(run, sample_outcome(i));
    ::raise(SIGKILL);
  });
  const int status = wait_for(child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  Store store = Store::open(file, OpenMode::create);
  EXPECT_TRUE(store.integrity_ok());
  EXPECT_EQ(store.outcomes(sample_problem()).size(), 5U);
  EXPECT_FALSE(store.last_run_end(sample_problem()).has_value());
  EXPECT_TRUE(store.winners().empty());
}

}  // namespace
}  // namespace warptune::db
