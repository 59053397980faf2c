// Does the profiler order configs as we do? ncu runs this program again, which then launches each config a few times.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>

#include "bench/trust/trust.hpp"
#include "tuner/evaluate/candidate_kernels.hpp"
#include "tuner/measure/bound_plan.hpp"
#include "tuner/measure/operand_sets.hpp"
#include "tuner/measure/statistics.hpp"

namespace warptune::trust {
namespace {

constexpr std::size_t wanted = 50;
constexpr int rounds = 15;
constexpr std::size_t launches = 5;

// Configs of one kernel each, so that the profiler's figure is the call's.
std::vector<spec::Config> single_kernel_configs(const spec::Instance& instance) {
  std::vector<spec::Config> configs = all_configs(instance);
  std::erase_if(configs, [&](const spec::Config& config) { return instance.entries(config).size() != 1; });
  std::mt19937_64 random(11);
  std::shuffle(configs.begin(), configs.end(), random);
  if (configs.size() > wanted) configs.resize(wanted);
  return configs;
}

// Under the profiler, which takes milliseconds per kernel: a few launches of each config, in order, over operands that are not in
// the cache.
void launch_each(Card& card, const spec::Instance& instance, const std::vector<spec::Config>& configs) {
  runtime::Device& device = card.device();
  const tuner::HelperKernels helpers(device, card.builder());
  const tuner::OperandSets operands(device, helpers, instance, tuner::CachePolicy::cold,
                                    tuner::GivenOperands(device, instance, {}), card.stream(), 1);
  tuner::CandidateKernels kernels(device, card.builder(), instance);
  kernels.built().build(configs, [](std::size_t, std::size_t) {});
  for (const spec::Config& config : configs) {
    const tuner::BoundPlan plan(device, instance, config, kernels.kernels(config));
    std::vector<runtime::DeviceBuffer> scratch;
    std::vector<runtime::DevicePointer> own(plan.layouts().size(), 0);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (spec::is_operand(instance.spec().buffers[i].role)) continue;
      const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(plan.layouts()[i].bytes(), 1));
      scratch.emplace_back(device, bytes);
      own[i] = scratch.back().get();
      device.fill(own[i], 0, bytes, card.stream());
    }
    for (std::size_t launch = 0; launch < launches; ++launch) {
      std::vector<runtime::DevicePointer> pointers = operands.pointers(launch % operands.count());
      for (std::size_t i = 0; i < own.size(); ++i)
        if (own[i] != 0) pointers[i] = own[i];
      plan.enqueue(device, pointers, card.stream());
      device.synchronize(card.stream());
    }
  }
}

// Durations in ns of the kernels named dot, in order of launch.
std::vector<double> profiled_ns() {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      "ncu --clock-control none --metrics gpu__time_duration.sum --kernel-name dot --csv --print-units base "
      "'" +
      program + "' profiler launch";
  const std::unique_ptr<FILE, int (*)(FILE*)> output(::popen(command.c_str(), "r"), ::pclose);
  if (!output) throw std::runtime_error("ncu could not be started");
  std::vector<double> times;
  std::string said;
  std::array<char, 8192> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), output.get()) != nullptr) {
    const std::string text = line.data();
    if (times.empty()) said += text;
    if (text.find("gpu__time_duration.sum") == std::string::npos) continue;
    // The value is the last quoted field; thousands are set apart by commas.
    const std::size_t end = text.rfind('"'), begin = text.rfind('"', end - 1) + 1;
    std::string value = text.substr(begin, end - begin);
    std::erase(value, ',');
    times.push_back(std::stod(value));
  }
  if (times.empty()) throw std::runtime_error("ncu gave no durations: " + said);
  return times;
}

double tau_of_far_pairs(const std::vector<double>& a, const std::vector<double>& b) {
  int agree = 0, differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      if (std::abs(std::log(a[i] / a[j])) < std::log(1.02)) continue;
      ((a[i] < a[j]) == (b[i] < b[j]) ? agree : differ) += 1;
    }
  return static_cast<double>(agree - differ) / std::max(1, agree + differ);
}

}  // namespace

void profiler(Card& card, const std::vector<std::string>& arguments) {
  const spec::Instance instance(spec::find_template("dot"), problem_of("__half", 1 << 24),
                                card.info().traits);
  const std::vector<spec::Config> configs = single_kernel_configs(instance);
  if (!arguments.empty() && arguments.front() == "launch") return launch_each(card, instance, configs);
  const std::vector<double> durations = profiled_ns();
  if (durations.size() != launches * configs.size())
    throw std::runtime_error(
        fmt::format("ncu saw {} kernels, not {}", durations.size(), launches * configs.size()));
  const auto evaluator = card.open(spec::find_template("dot"), problem_of("__half", 1 << 24));
  const auto blocks = time_rounds(*evaluator, configs, rounds, 3);
  std::vector<double> ours, theirs;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    ours.push_back(tuner::median(blocks[i]));
    theirs.push_back(tuner::median(std::span(durations).subspan(launches * i, launches)));
  }
  const auto fastest = [](const std::vector<double>& times) {
    return static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
  };
  const double tau = tau_of_far_pairs(ours, theirs);
  const double regret = theirs[fastest(ours)] / theirs[fastest(theirs)] - 1;
  const std::string what = fmt::format("half n=2^24, {} configs of one kernel, {:.1f} to {:.0f} us",
                                       configs.size(), *std::min_element(ours.begin(), ours.end()) / 1e3,
                                       *std::max_element(ours.begin(), ours.end()) / 1e3);
  row("profiler, order", what, fmt::format("tau {:.3f} of pairs over 2 % apart", tau), "0.95", tau >= 0.95);
  row("profiler, winner", what, fmt::format("ours is {:.2f} % behind the profiler's", 100 * regret), "1 %",
      regret <= 0.01);
}

}  // namespace warptune::trust
