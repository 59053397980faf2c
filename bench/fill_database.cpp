// Writes a database of a given size, to time `warptune show --json` and `warptune report` on it:
//   fill_database FILE [KERNELS] [PROBLEMS] [CONFIGS]
// Each problem of a kernel tries CONFIGS different configs out of a space of 20736, times spread as in a real search, and times ten of
// them at half and twice its size.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <set>
#include <string>

#include <warptune/db/store.hpp>

namespace {

using namespace warptune;

struct Point {
  int digits[6];  // index of each tunable's value
};
constexpr int counts[6] = {6, 4, 6, 6, 4, 6};
constexpr const char* names[6] = {"BLOCKS_PER_SM", "NUM_THREADS", "PACK", "STAGES", "TILE", "UNROLL"};

Point point(std::int64_t number) {
  Point result{};
  for (int i = 0; i < 6; ++i) {
    result.digits[i] = static_cast<int>(number % counts[i]);
    number /= counts[i];
  }
  return result;
}

db::NamedValues config(const Point& each) {
  db::NamedValues values;
  for (int i = 0; i < 6; ++i) values[names[i]] = std::int64_t{1} << each.digits[i];
  return values;
}

db::StoredRun make_run(int kernel, int problem, int configs, std::minstd_rand& random) {
  db::StoredRun run;
  run.problem.kernel = "kernel" + std::to_string(kernel);
  run.problem.template_hash = std::string(32, 'a');
  run.problem.types = {{"T", problem % 2 == 0 ? "__half" : "float"}};
  run.problem.free_dims = {{"n", std::int64_t{1000} * (problem + 1)}};
  run.problem.numerics = "exact";
  run.problem.device = {"NVIDIA H200", 90, 132, 62914560, 141};
  run.problem.policy = "cold";
  run.info.uid = std::to_string(kernel) + "-" + std::to_string(problem);
  run.info.toolchain = {13000, "580.159.04", "13.0", "abc", "0.1.0"};
  run.info.strategy = "random";
  run.info.started_unix_s = 1'700'000'000 + problem;
  run.ended_unix_s = run.info.started_unix_s + 60;
  run.end.complete = true;
  std::normal_distribution<double> noise(0, 0.05);
  std::set<std::int64_t> tried;
  while (static_cast<int>(tried.size()) < configs) tried.insert(static_cast<std::int64_t>(random() % 20736));
  for (const std::int64_t number : tried) {
    const Point each = point(number);
    db::OutcomeRecord outcome;
    outcome.config = config(each);
    outcome.status = number % 50 == 0 ? "resource_limit" : "ok";
    outcome.reason = number % 50 == 0 ? "too much shared memory: " + std::to_string(number) + " bytes" : "";
    if (outcome.status == "ok") {
      double log_time = noise(random);
      for (int i = 0; i < 6; ++i)
        log_time += 0.02 * (i + 1) * std::abs(each.digits[i] - (problem + i) % counts[i]);
      outcome.time_ns = static_cast<double>(problem + 1) * 1000 * std::exp(log_time);
      outcome.blocks_ns.assign(10, static_cast<float>(*outcome.time_ns));
    }
    outcome.at_unix_ms = run.info.started_unix_s * 1000 + static_cast<std::int64_t>(run.outcomes.size());
    run.outcomes.push_back(std::move(outcome));
  }
  const db::OutcomeRecord* best = nullptr;
  for (const db::OutcomeRecord& outcome : run.outcomes)
    if (outcome.time_ns && (best == nullptr || *outcome.time_ns < *best->time_ns)) best = &outcome;
  if (best == nullptr) return run;
  db::WinnerRecord winner;
  winner.alignment_bytes = 16;
  winner.config = best->config;
  winner.time_ns = *best->time_ns;
  winner.default_config = config(point(0));
  winner.default_time_ns = winner.time_ns * 1.2;
  winner.certified = true;
  winner.certified_by = "race";
  winner.bytes = winner.time_ns * 3000;
  winner.limit_bytes_per_s = 4.6e12;
  run.winners = {winner};
  run.end.clocks = {
      {"sm_mhz_median", 1980}, {"sm_mhz_lowest", 1935}, {"sm_mhz_highest", 1980}, {"rounds", 64}};
  const std::int64_t n = run.problem.free_dims.at("n");
  for (const std::int64_t there : {2 * n, n / 2}) {
    const double factor = static_cast<double>(there) / static_cast<double>(n);
    for (std::size_t i = 0; i < run.outcomes.size() && i < 10; ++i) {
      const db::OutcomeRecord& outcome = i == 0 ? *best : run.outcomes[i];
      if (outcome.time_ns)
        run.neighbours.push_back({{{"n", there}}, outcome.config, *outcome.time_ns * factor, 12});
    }
  }
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: fill_database FILE [KERNELS] [PROBLEMS] [CONFIGS]\n");
    return 2;
  }
  const auto number = [&](int index, int otherwise) {
    return argc > index ? std::atoi(argv[index]) : otherwise;
  };
  try {
    db::Store store = db::Store::open(argv[1], db::OpenMode::create);
    std::minstd_rand random(1);
    for (int kernel = 0; kernel < number(2, 20); ++kernel)
      for (int problem = 0; problem < number(3, 50); ++problem)
        store.add_run(make_run(kernel, problem, number(4, 500), random));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
