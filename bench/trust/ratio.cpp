// Is twice the work twice the time? Kernels of known work w are fitted with f + k w.
#include <fmt/format.h>

#include <cmath>

#include "bench/trust/trust.hpp"
#include "tuner/measure/statistics.hpp"

namespace warptune::trust {
namespace {

constexpr double works[] = {1, 2, 4, 8};
constexpr int rounds = 25;

struct Fit {
  double fixed_ns = 0, per_work_ns = 0, worst = 0;  // worst: largest residual over the time
};

// Least squares of relative residuals, so that the short ones count as much as the long ones.
Fit fit(const std::vector<double>& times_ns) {
  double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
  for (std::size_t i = 0; i < times_ns.size(); ++i) {
    const double weight = 1 / (times_ns[i] * times_ns[i]);
    s += weight, sx += weight * works[i], sxx += weight * works[i] * works[i];
    sy += weight * times_ns[i], sxy += weight * works[i] * times_ns[i];
  }
  Fit result;
  result.per_work_ns = (s * sxy - sx * sy) / (s * sxx - sx * sx);
  result.fixed_ns = (sy - result.per_work_ns * sx) / s;
  for (std::size_t i = 0; i < times_ns.size(); ++i)
    result.worst = std::max(
        result.worst, std::abs(result.fixed_ns + result.per_work_ns * works[i] - times_ns[i]) / times_ns[i]);
  return result;
}

}  // namespace

void known_ratio(Card& card, const std::vector<std::string>&) {
  // Steps, chosen by what one takes here, so that w = 1 lasts 5, 20 and 100 us.
  const auto probe = card.open(known_work(), problem_of("float", 10'000), "hot");
  const std::vector<spec::Config> configs = all_configs(probe->instance());
  const double step_ns = tuner::median(time_rounds(*probe, {configs.front()}, 5, 1).front()) / 10'000;
  for (const double wanted_us : {5.0, 20.0, 100.0}) {
    const auto steps = static_cast<std::int64_t>(wanted_us * 1e3 / step_ns);
    const auto evaluator = card.open(known_work(), problem_of("float", steps), "hot");
    std::vector<double> times_ns;
    for (const auto& blocks : time_rounds(*evaluator, configs, rounds, 2))
      times_ns.push_back(tuner::median(blocks));
    const Fit line = fit(times_ns);
    const double goal = wanted_us < 20 ? 0.01 : 0.005;
    row("known ratio",
        fmt::format("w = 1, 2, 4, 8: {:.2f}, {:.2f}, {:.2f}, {:.2f} us", times_ns[0] / 1e3, times_ns[1] / 1e3,
                    times_ns[2] / 1e3, times_ns[3] / 1e3),
        fmt::format("residual {:.2f} %, f = {:.3f} us", 100 * line.worst, line.fixed_ns / 1e3),
        wanted_us < 20 ? "1 %" : "0.5 %", line.worst <= goal);
  }
}

}  // namespace warptune::trust
