// Figures of the database: outcomes stored per second, each durable against a killed process; the time to open a file and load
// its winners as the runtime does, with the memory they take; the same for times at neighbouring problems, which the runtime reads
// when it first needs them.  db_bench [OUTCOMES] [WINNERS] [NEIGHBOUR TIMES PER WINNER]
#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

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

// What the heap holds, whether malloc took it from its arena or from the system.
std::size_t heap_bytes() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Half of them at twice the size and half at half the size.
std::vector<db::NeighbourTime> neighbours(std::int64_t n, std::int64_t count) {
  std::vector<db::NeighbourTime> times;
  for (std::int64_t i = 0; i < count; ++i)
    times.push_back({{{"n", i % 2 ? 2 * n : n / 2}}, config(n + i / 2), 17800, 12});
  return times;
}

void bench_winners(const std::filesystem::path& file, std::int64_t count, std::int64_t times_each) {
  {
    db::Store store = db::Store::open(file, db::OpenMode::create);
    const Stopwatch watch;
    for (std::int64_t i = 0; i < count; ++i) {
      db::WinnerRecord winner;
      winner.alignment_bytes = 16;
      winner.config = config(i);
      winner.default_config = config(0);
      winner.time_ns = 17800;
      const std::int64_t run = store.begin_run(problem(i + 2), {});
      if (times_each > 0) store.add_neighbour_times(run, neighbours(i + 2, times_each));
      store.end_run(run, {}, {winner});
    }
    std::printf(
        "store %lld runs with a winner and %lld neighbour times each: %.0f per s (%.0f per s of CPU)\n",
        static_cast<long long>(count), static_cast<long long>(times_each),
        static_cast<double>(count) / watch.seconds(), static_cast<double>(count) / watch.cpu_seconds());
  }
  for (int repeat = 0; repeat < 3; ++repeat) {
    const std::size_t before = heap_bytes();
    const Stopwatch watch;
    const db::WinnerTable table =
        db::Store::open(file, db::OpenMode::read_only).load_winners(problem(0).device);
    const double seconds = watch.seconds(), cpu_seconds = watch.cpu_seconds();
    std::printf(
        "open and load %zu winners, as the runtime does: %.3f s (CPU %.3f s), %.0f bytes each in memory\n",
        table.size(), seconds, cpu_seconds,
        static_cast<double>(heap_bytes() - before) / static_cast<double>(table.size()));
  }
  for (int repeat = 0; repeat < 3; ++repeat) {
    const std::size_t before = heap_bytes();
    const Stopwatch watch;
    const db::Store store = db::Store::open(file, db::OpenMode::read_only);
    const auto newest = store.newest_with_neighbours();
    if (!newest) return;
    const db::NeighbourTable table = store.load_neighbours(problem(0).device, "dot", *newest);
    const double seconds = watch.seconds(), cpu_seconds = watch.cpu_seconds();
    std::printf("open and load %zu neighbour times of a kernel: %.3f s (CPU %.3f s), %.0f bytes each\n",
                table.size(), seconds, cpu_seconds,
                static_cast<double>(heap_bytes() - before) / static_cast<double>(table.size()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto folder = std::filesystem::temp_directory_path() / "warptune_db_bench";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  bench_outcomes(folder / "outcomes.db", argc > 1 ? std::atoll(argv[1]) : 50'000);
  bench_winners(folder / "winners.db", argc > 2 ? std::atoll(argv[2]) : 100'000,
                argc > 3 ? std::atoll(argv[3]) : 6);
  std::filesystem::remove_all(folder);
  return 0;
}
