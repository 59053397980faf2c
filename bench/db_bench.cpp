// Figures of the database: outcomes stored per second, each durable against a killed process, and the time to
// open a file and load its winners.  db_bench [OUTCOMES] [WINNERS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
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

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
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
  std::printf("store %lld outcomes, one transaction each: %.0f per s\n", static_cast<long long>(count),
              static_cast<double>(count) / watch.seconds());
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
    std::printf("store %lld runs with a winner each: %.0f per s\n", static_cast<long long>(count),
                static_cast<double>(count) / watch.seconds());
  }
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Stopwatch watch;
    double sum_ns = 0;
    db::Store::open(file, db::OpenMode::read_only)
        .visit_winners(problem(0).device, "dot",
                       [&](const db::StoredWinner& winner) { sum_ns += winner.winner.time_ns; });
    std::printf("open and visit the winners: %.3f s (sum %.0f ns)\n", watch.seconds(), sum_ns);
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
