// What disturbs a measurement must either not matter or be flagged.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <thread>

#include "bench/trust/companion.hpp"
#include "bench/trust/trust.hpp"
#include "tuner/loop/verdict.hpp"
#include "tuner/measure/conditions_log.hpp"
#include "tuner/measure/statistics.hpp"

namespace warptune::trust {
namespace {

constexpr int rounds = 15;
constexpr std::size_t config_count = 8;
constexpr std::int64_t length = 1 << 22;

struct Seen {
  std::vector<double> medians;
  int flagged = 0;  // rounds
  std::map<std::string, double> figures;
};

Seen measure(tuner::DeviceEvaluator& evaluator, const std::vector<spec::Config>& configs,
             const std::function<void()>& before = {}) {
  Seen seen;
  tuner::ConditionsLog log;
  (void)time_rounds(evaluator, configs, 2, 1);
  (void)evaluator.conditions();
  for (const auto& blocks : time_rounds(evaluator, configs, rounds, 2, before,
                                        [&] { seen.flagged += !log.add_round(evaluator.conditions()); }))
    seen.medians.push_back(tuner::median(blocks));
  seen.figures = log.figures();
  return seen;
}

// `mark`: what a record says of it besides, or where it is kept apart; empty: nothing.
void compare(const std::string& what, const Seen& quiet, const Seen& disturbed,
             const std::string& mark = {}) {
  double shift = 0;
  for (std::size_t i = 0; i < quiet.medians.size(); ++i)
    shift = std::max(shift, std::abs(disturbed.medians[i] / quiet.medians[i] - 1));
  std::string figures;
  for (const auto& [name, value] : disturbed.figures) figures += fmt::format(" {}={:.5g}", name, value);
  row("sabotage", what,
      fmt::format("shift at most {:.2f} %, {} of {} rounds flagged;{}", 100 * shift, disturbed.flagged,
                  rounds, figures + (mark.empty() ? "" : "; " + mark)),
      "0.5 % or flagged", shift <= 0.005 || disturbed.flagged > 0 || !mark.empty());
}

}  // namespace

void sabotage(Card& card, const std::vector<std::string>&) {
  const auto evaluator = card.open(small_dot(), problem_of("__half", length));
  std::vector<spec::Config> configs;
  const std::vector<spec::Config> all = all_configs(evaluator->instance());
  for (std::size_t i = 0; i < config_count; ++i) configs.push_back(all[i * all.size() / config_count]);
  const Seen quiet = measure(*evaluator, configs);
  compare("nothing, again", quiet, measure(*evaluator, configs));
  compare("idle for 0.1 s before each block", quiet,
          measure(*evaluator, configs, [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }));
  {
    std::atomic<bool> stop = false;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
      threads.emplace_back([&stop] {
        for (volatile unsigned sum = 0; !stop;) sum = sum * 1664525u + 1013904223u;
      });
    const Seen busy = measure(*evaluator, configs);
    stop = true;
    compare(fmt::format("{} threads busy on all cores", threads.size()), quiet, busy);
  }
  {
    std::deque<Companion> compilers;
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) compilers.emplace_back("compile");
    std::this_thread::sleep_for(std::chrono::seconds(1));  // until they compile
    compare(fmt::format("{} processes compiling", compilers.size()), quiet, measure(*evaluator, configs));
    for (const Companion& compiler : compilers) compiler.require_running();
  }
  const spec::TemplatePtr zeros = small_dot(true);
  const auto over_zeros = card.open(zeros, problem_of("__half", length));
  compare("operands all zero", quiet, measure(*over_zeros, configs),
          tuner::has_constant_operands(over_zeros->instance()) ? "the record says constant_operands" : "");
  compare("hot", quiet, measure(*card.open(small_dot(), problem_of("__half", length), "hot"), configs),
          "its records have the policy in their key");
  const Companion contender("compute");
  std::this_thread::sleep_for(std::chrono::seconds(3));  // until it computes
  compare("a second process computing", quiet, measure(*evaluator, configs));
  contender.require_running();
}

}  // namespace warptune::trust
