// Many processes, one new file: 8 processes tune 200 problems each at the same instant, and all of it is there
// afterwards.  concurrency_bench [PROCESSES] [PROBLEMS] [OUTCOMES]; exits with 1 on any error or loss.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <warptune/db/store.hpp>

namespace {

using namespace warptune;
using Seconds = std::chrono::duration<double>;

db::ProblemKey problem(int process, int number) {
  db::ProblemKey key;
  key.kernel = "dot";
  key.template_hash = std::string(32, 'a');
  key.types = {{"T", "__half"}};
  key.free_dims = {{"n", 1000 * process + number}};
  key.numerics = "exact";
  key.device = {"NVIDIA H200", 90, 132, 62914560, 141};
  key.policy = "cold";
  return key;
}

void tune(const std::filesystem::path& file, int process, int problems, int outcomes) {
  db::Store store = db::Store::open(file, db::OpenMode::create);
  for (int number = 0; number < problems; ++number) {
    const std::int64_t run = store.begin_run(problem(process, number), {});
    db::OutcomeRecord outcome;
    outcome.status = "ok";
    outcome.time_ns = 17800;
    outcome.blocks_ns.assign(20, 17800.0F);
    for (std::int64_t i = 0; i < outcomes; ++i) {
      outcome.config = {{"NUM_THREADS", i}, {"PACK", std::int64_t{8}}};
      store.add_outcome(run, outcome);
    }
    db::WinnerRecord winner;
    winner.alignment_bytes = 16;
    winner.config = outcome.config;
    winner.default_config = outcome.config;
    winner.time_ns = 17800;
    store.end_run(run, {}, {winner});
    // A reader now and then, as `show` beside a running tuner.
    if (number % 50 == 0) db::Store::open(file, db::OpenMode::read_only).winners();
  }
}

int run(int processes, int problems, int outcomes) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("warptune_concurrency_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto file = folder / "tuning.db";
  const auto start = std::chrono::steady_clock::now();
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      int code = 0;
      try {
        tune(file, process, problems, outcomes);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "process %d: %s\n", process, error.what());
        code = 1;
      }
      ::_exit(code);
    }
    children.push_back(child);
  }
  int errors = 0;
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    errors += status != 0 ? 1 : 0;
  }
  const double seconds = Seconds(std::chrono::steady_clock::now() - start).count();
  const db::Store store = db::Store::open(file, db::OpenMode::read_only);
  const std::int64_t all = std::int64_t{processes} * problems;
  const bool whole = store.integrity_ok() && store.outcome_total() == all * outcomes &&
                     static_cast<std::int64_t>(store.winners().size()) == all && store.faults().empty();
  std::printf(
      "%d processes x %d problems x %d outcomes into one new file: %d errors, %lld of %lld outcomes and %zu "
      "of %lld "
      "winners stored, %.1f s, %.0f outcomes per s\n",
      processes, problems, outcomes, errors, static_cast<long long>(store.outcome_total()),
      static_cast<long long>(all * outcomes), store.winners().size(), static_cast<long long>(all), seconds,
      static_cast<double>(all * outcomes) / seconds);
  std::filesystem::remove_all(folder);
  return errors == 0 && whole ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int index, int otherwise) {
    return argc > index ? std::atoi(argv[index]) : otherwise;
  };
  return run(number(1, 8), number(2, 200), number(3, 20));
}
