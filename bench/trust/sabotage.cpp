// What disturbs a measurement must either not matter or be flagged.
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "bench/trust/trust.hpp"
#include "tuner/loop/decide.hpp"
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

// This program, computing on the card without rest until it is killed.
class Contender {
 public:
  Contender() {
    std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    std::string test = "sabotage", load = "load";
    char* const arguments[] = {program.data(), test.data(), load.data(), nullptr};
    if (::posix_spawn(&pid_, program.c_str(), nullptr, nullptr, arguments, environ) != 0)
      throw std::runtime_error("a second process could not be started");
    std::this_thread::sleep_for(std::chrono::seconds(3));  // until it computes
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) throw std::runtime_error("the second process ended at once");
  }
  ~Contender() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;

 private:
  pid_t pid_ = 0;
};

[[noreturn]] void compute_for_ever(Card& card) {
  const auto evaluator = card.open(small_dot(), problem_of("__half", 1 << 24));
  const std::vector<spec::Config> configs = all_configs(evaluator->instance());
  for (;;) (void)evaluator->time_block(configs.front());
}

// Whole decisions, as a tune ends with: are they flagged, and what do they certify?
void contended_runs(Card& card, int runs, bool contended) {
  const auto evaluator = card.open(small_dot(), problem_of("__half", length));
  const std::vector<spec::Config> configs = all_configs(evaluator->instance());
  std::vector<tuner::Outcome> candidates;
  for (std::size_t i = 0; i < 4; ++i) {
    candidates.push_back(evaluator->evaluate(configs[i * configs.size() / 4]));
    if (!candidates.back().time_ns()) throw std::runtime_error("a config failed");
  }
  int flagged = 0, certified = 0;
  for (int run = 0; run < runs; ++run) {
    tuner::DecideOptions options;
    options.seed = static_cast<std::uint64_t>(run) + 1;
    const tuner::Decision decision = tuner::decide(*evaluator, candidates, options);
    flagged += !tuner::disturbance_text(decision.clocks).empty();
    certified += decision.winners.back().certified;
  }
  const std::string what =
      fmt::format("{} runs, {}", runs, contended ? "a second process computing" : "alone");
  row(contended ? "second process, flagged" : "no second process, flagged", what, share_text(flagged, runs),
      contended ? "99 %" : "none", contended ? flagged * 100 >= 99 * runs : flagged * 100 <= runs);
  row(contended ? "second process, certified" : "no second process, certified", what,
      share_text(certified, runs), contended ? "none" : "-", !contended || certified == 0);
}

}  // namespace

void sabotage(Card& card, const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "load") compute_for_ever(card);
  const int runs = arguments.empty() ? 300 : std::atoi(arguments.front().c_str());
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
  const spec::TemplatePtr zeros = small_dot(true);
  compare("operands all zero", quiet, measure(*card.open(zeros, problem_of("__half", length)), configs),
          tuner::has_constant_operands(*zeros) ? "the record says constant_operands" : "");
  compare("hot", quiet, measure(*card.open(small_dot(), problem_of("__half", length), "hot"), configs),
          "its records have the policy in their key");
  contended_runs(card, runs, false);
  const Contender contender;
  compare("a second process computing", quiet, measure(*evaluator, configs));
  contended_runs(card, runs, true);
}

}  // namespace warptune::trust
