// How far from the best is what a tune picks? The truth: every config for 50 ms, those within 5 % of the lead for a second, all
// interleaved.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include <warptune/runtime/problem_key.hpp>
#include <warptune/tuner/tune.hpp>

#include "bench/trust/trust.hpp"
#include "tuner/measure/statistics.hpp"

namespace warptune::trust {
namespace {

constexpr int tunes = 20;
constexpr double close = 1.05, truth_s = 0.05, close_truth_s = 0.95;
// What a tuner spends that warms up for 25 ms and measures for 100 ms per config.
constexpr double usual_window_s = 0.125;

struct Case {
  const char* type;
  std::int64_t n;
  double block_s;  // of a race
  double share;    // of the usual GPU time that a tune may take
};
constexpr Case cases[] = {{"__half", 1 << 18, 1e-3, 0.1},
                          {"__nv_bfloat16", 1 << 21, 1e-3, 0.1},
                          {"float", 1 << 22, 1e-3, 0.1},
                          {"__half", 1 << 24, 1e-3, 0.1},
                          {"float", 5 << 27, 2e-3, 0.25}};

// Some of these tests take minutes: what there is so far.
void note(const std::string& text) { fmt::print(stderr, "{}\n", text); }

// Median time in ns of every config.
std::vector<double> truth(tuner::DeviceEvaluator& evaluator, const std::vector<spec::Config>& configs,
                          double block_s) {
  const auto rounds = [&](double seconds) { return static_cast<int>(std::lround(seconds / block_s)); };
  std::vector<std::vector<double>> blocks = time_rounds(evaluator, configs, rounds(truth_s), 1);
  std::vector<double> medians;
  for (const auto& of_config : blocks) medians.push_back(tuner::median(of_config));
  const double lead = *std::min_element(medians.begin(), medians.end());
  std::vector<spec::Config> near;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (medians[i] > close * lead) continue;
    near.push_back(configs[i]);
    places.push_back(i);
  }
  const auto more = time_rounds(evaluator, near, rounds(close_truth_s), 2);
  for (std::size_t i = 0; i < near.size(); ++i) medians[places[i]] = tuner::median(more[i]);
  return medians;
}

}  // namespace

void regret(Card& card, const std::vector<std::string>& arguments) {
  std::vector<std::size_t> chosen;
  for (const std::string& number : arguments) chosen.push_back(std::strtoul(number.c_str(), nullptr, 10));
  if (chosen.empty()) chosen = {0, 1, 2, 3, 4};
  const spec::TemplatePtr spec = small_dot();
  for (const std::size_t number : chosen) {
    const Case& one = cases[number % std::size(cases)];
    const spec::Problem problem = problem_of(one.type, one.n);
    std::vector<spec::Config> configs;
    std::vector<double> times;
    {
      const auto evaluator = card.open(spec, problem);
      configs = all_configs(evaluator->instance());
      times = truth(*evaluator, configs, one.block_s);
    }
    const double best = *std::min_element(times.begin(), times.end());
    note(fmt::format("truth of {} configs: best {:.2f} us", configs.size(), best / 1e3));
    int good = 0, certified = 0;
    double worst = 0, gpu_s = 0;
    for (int i = 0; i < tunes; ++i) {
      const auto evaluator = card.open(spec, problem);
      const double before_s = evaluator->gpu_seconds();
      tuner::TuneOptions options;
      options.strategy = "exhaustive";
      options.seed = static_cast<std::uint64_t>(i) + 1;
      const tuner::TuneResult result = tuner::tune(*evaluator, nullptr, options);
      gpu_s += evaluator->gpu_seconds() - before_s;
      const db::WinnerRecord& winner = result.winners.back();
      double lost = 1;
      for (std::size_t c = 0; c < configs.size(); ++c)
        if (runtime::stored_config(*spec, configs[c]) == winner.config) lost = times[c] / best - 1;
      good += lost <= 0.01;
      certified += winner.certified;
      worst = std::max(worst, lost);
      note(fmt::format("tune {}: {:.2f} % lost", i + 1, 100 * lost));
    }
    const double usual_s = usual_window_s * static_cast<double>(configs.size());
    const std::string what = fmt::format("{} n={}, {} configs, best {:.2f} us, {} tunes", one.type, one.n,
                                         configs.size(), best / 1e3, tunes);
    row("regret", what,
        fmt::format("{} within 1 %, worst {:.2f} %, {} certified", share_text(good, tunes), 100 * worst,
                    certified),
        "95 %", good * 100 >= 95 * tunes);
    row("regret, GPU time", what,
        fmt::format("{:.2f} s a tune, 1/{:.1f} of {:.1f} s", gpu_s / tunes, usual_s * tunes / gpu_s, usual_s),
        fmt::format("1/{:.0f}", 1 / one.share), gpu_s <= one.share * usual_s * tunes);
  }
}

}  // namespace warptune::trust
