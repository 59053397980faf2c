// Do two processes say the same, minutes apart, clocks as they are?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>

#include "bench/trust/trust.hpp"
#include "tuner/measure/statistics.hpp"

namespace warptune::trust {
namespace {

constexpr int rounds = 15;
constexpr std::size_t configs_per_problem = 30;
constexpr std::int64_t lengths[] = {1 << 18, 1 << 24, 1 << 28};

void print_times(Card& card) {
  for (const std::int64_t n : lengths) {
    const auto evaluator = card.open(spec::find_template("dot"), problem_of("__half", n));
    std::vector<spec::Config> configs = all_configs(evaluator->instance());
    std::mt19937_64 random(7);
    std::shuffle(configs.begin(), configs.end(), random);
    configs.resize(configs_per_problem);
    const auto blocks = time_rounds(*evaluator, configs, rounds, static_cast<std::uint64_t>(n));
    for (std::size_t i = 0; i < configs.size(); ++i)
      fmt::print("{} {} {:.6f}\n", n, i, tuner::median(blocks[i]));
  }
}

// Length -> medians in ns, by config.
std::map<std::int64_t, std::vector<double>> times_of_another_process() {
  // The shell's own /proc/self would be the shell.
  const std::string command =
      "'" + std::filesystem::read_symlink("/proc/self/exe").string() + "' repeat print";
  const std::unique_ptr<FILE, int (*)(FILE*)> output(::popen(command.c_str(), "r"), ::pclose);
  if (!output) throw std::runtime_error("a second process could not be started");
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t got; (got = std::fread(part.data(), 1, part.size(), output.get())) > 0;)
    text.append(part.data(), got);
  std::istringstream lines(text);
  std::map<std::int64_t, std::vector<double>> times;
  std::int64_t n = 0;
  std::size_t config = 0;
  for (double time_ns = 0; lines >> n >> config >> time_ns;) times[n].push_back(time_ns);
  return times;
}

}  // namespace

void repeat(Card& card, const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "print") return print_times(card);
  const auto first = times_of_another_process(), second = times_of_another_process();
  std::vector<double> all;
  for (const auto& [n, times] : first) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < times.size(); ++i)
      differences.push_back(std::abs(second.at(n)[i] / times[i] - 1));
    all.insert(all.end(), differences.begin(), differences.end());
    row("repeat",
        fmt::format("half n={}, {} configs, {:.1f} us and more", n, times.size(),
                    *std::min_element(times.begin(), times.end()) / 1e3),
        fmt::format("median {:.2f} %, p95 {:.2f} %", 100 * tuner::median(differences),
                    100 * tuner::quantile(differences, 0.95)),
        "median 0.3 %, p95 1 %",
        tuner::median(differences) <= 0.003 && tuner::quantile(differences, 0.95) <= 0.01);
  }
  if (all.size() != 3 * configs_per_problem) throw std::runtime_error("a process gave too few times");
}

}  // namespace warptune::trust
