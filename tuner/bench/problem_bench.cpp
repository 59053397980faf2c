#include "tuner/bench/problem_bench.hpp"

#include "tuner/bench/contest.hpp"
#include "tuner/measure/statistics.hpp"

namespace warptune::tuner {
namespace {

class ProblemBench {
 public:
  ProblemBench(DeviceEvaluator& evaluator, const BenchOptions& options)
      : evaluator_(evaluator), options_(options) {}

  void add(std::string name, Role role, const spec::Config& config) {
    Standing standing;
    standing.name = std::move(name);
    standing.role = role;
    standing.config = config;
    const Outcome outcome = evaluator_.evaluate(config);
    if (outcome.status == OutcomeStatus::ok) {
      enter(std::move(standing), [this, config] { return evaluator_.time_block(config); });
      return;
    }
    standing.why = std::string(to_string(outcome.status)) + ": " + outcome.reason;
    standings_.push_back(std::move(standing));
  }

  void add(const OpenLibrary& library) {
    Standing standing;
    standing.name = library.name;
    standing.role = Role::library;
    standing.call = library.call;
    const std::optional<Block> block = library.library->prepare(evaluator_);
    standing.version = library.library->version();
    if (block) {
      enter(std::move(standing), *block);
      return;
    }
    standing.why = "it has no call for this problem";
    standings_.push_back(std::move(standing));
  }

  std::vector<Standing> run() {
    const std::vector<std::vector<double>> samples =
        contest(blocks_, options_.rounds, options_.seed, options_.stop);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (samples[i].empty()) continue;
      Standing& standing = standings_[places_[i]];
      standing.time_ns = median(samples[i]);
      standing.samples = std::ssize(samples[i]);
      const Interval interval = median_interval(samples[i]);
      standing.interval_low_ns = interval.low;
      standing.interval_high_ns = interval.high;
      for (std::size_t j = 0; j < blocks_.size(); ++j) {
        if (standings_[places_[j]].role != Role::library) continue;
        standing.speedup[standings_[places_[j]].name] = paired_speedup(samples[i], samples[j]);
      }
    }
    return std::move(standings_);
  }

 private:
  void enter(Standing standing, Block block) {
    places_.push_back(standings_.size());
    blocks_.push_back(std::move(block));
    standings_.push_back(std::move(standing));
  }

  DeviceEvaluator& evaluator_;
  const BenchOptions& options_;
  std::vector<Standing> standings_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> places_;  // of each block among the standings
};

}  // namespace

const char* to_string(Role role) noexcept {
  switch (role) {
    case Role::variant:
      return "variant";
    case Role::standard:
      return "default";
    case Role::tuned:
      return "tuned";
    case Role::library:
      break;
  }
  return "library";
}

std::vector<Standing> bench_problem(DeviceEvaluator& evaluator, const std::optional<spec::Config>& tuned,
                                    const std::vector<OpenLibrary>& libraries, const BenchOptions& options) {
  const spec::Instance& instance = evaluator.instance();
  ProblemBench bench(evaluator, options);
  if (tuned) bench.add("tuned", Role::tuned, *tuned);
  bench.add("default", Role::standard, instance.spec().default_config);
  for (const spec::VariantSpec& variant : instance.variants())
    bench.add(variant.name, Role::variant, variant.config);
  for (const OpenLibrary& library : libraries) bench.add(library);
  return bench.run();
}

}  // namespace warptune::tuner
