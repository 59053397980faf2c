// Figures of the database: outcomes stored per second, each durable against a killed process, and the time to
// open a file and load its winners, with the memory they take.  db_bench [OUTCOMES] [WINNERS]
#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>

#include <warptune/db/store.hpp>

namespace {

using namespace warptune;

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  // Of this process: what remains when others use the machine, too.
  double cpu_seconds() const { return static_cast<double>(std::clock() - cpu_start_) / CLOCKS_PER_SEC; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t cpu_start_ = std::clock();
};

db::ProblemKey problem(std::int64_t n) {
  db::ProblemKey key;
  key.kernel = "dot";
  key.template_hash = std::string(32, 'a');
  key.types = {{"T", "__half"}};
  key.free_dims = {{"n", n}};
  key.numerics = "exact";
  key.device = {"NVIDIA H200", 90, 132, 62914560, 141};
  key.policy = "cold";
  return key;
}

db::NamedValues config(std::int64_t number) {
  return {{"NUM_THREADS", 32 * (1 + number % 32)},
          {"PACK", std::int64_t{1} << number % 4},
          {"UNROLL", 1 + number % 8},
          {"BLOCKS_PER_SM", number % 5},
          {"MULTIPLY", std::string("f32")},
          {"FINISH", std::string(number % 2 ? "two_pass" : "last_block")}};
}

void bench_outcomes(const std::filesystem::path& file, std::int64_t count) {
  db::Store store = db::Store::open(file, db::OpenMode::create);
  const std::int64_t run = store.begin_run(problem(1), {});
  db::OutcomeRecord outcome;
  outcome.status = "ok";
  outcome.time_ns = 17800;
  outcome.blocks_ns.assign(20, 17800.0F);
  const Stopwatch watch;
  for (std::int64_t i = 0; i < count; ++i) {
    outcome.config = config(i);
    store.add_outcome(run, outcome);
  }
  std::printf("store %lld outcomes, one transaction each: %.0f per s (%.0f per s of CPU)\n",
              static_cast<long long>(count), static_cast<double>(count) / watch.seconds(),
              static_cast<double>(count) / watch.cpu_seconds());
}

void bench_winners(const std::filesystem::path& file, std::int64_t count) {
  {
    db::Store store = db::Store::open(file, db::OpenMode::create);
    const Stopwatch watch;
    for (std::int64_t i = 0; i < count; ++i) {
      db::WinnerRecord winner;
      winner.alignment_bytes = 16;
      winner.config = config(i);
      winner.default_config = config(0);
      winner.time_ns = 17800;
      store.end_run(store.begin_run(problem(i + 2), {}), {}, {winner});
    }
    std::printf("store %lld runs with a winner each: %.0f per s (%.0f per s of CPU)\n",
                static_cast<long long>(count), static_cast<double>(count) / watch.seconds(),
                static_cast<double>(count) / watch.cpu_seconds());
  }
  for (int repeat = 0; repeat < 3; ++repeat) {
    const std::size_t before = ::mallinfo2().uordblks;
    const Stopwatch watch;
    const db::WinnerTable table =
        db::Store::open(file, db::OpenMode::read_only).load_winners(problem(0).device);
    const double seconds = watch.seconds(), cpu_seconds = watch.cpu_seconds();
    std::printf(
        "open and load %zu winners, as the runtime does: %.3f s (CPU %.3f s), %.0f bytes each in memory\n",
        table.size(), seconds, cpu_seconds,
        static_cast<double>(::mallinfo2().uordblks - before) / static_cast<double>(table.size()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto folder = std::filesystem::temp_directory_path() / "warptune_db_bench";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  bench_outcomes(folder / "outcomes.db", argc > 1 ? std::atoll(argv[1]) : 50'000);
  bench_winners(folder / "winners.db", argc > 2 ? std::atoll(argv[2]) : 100'000);
  std::filesystem::remove_all(folder);
  return 0;
}
