#include "tuner/search/outlook.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace warptune::tuner {
namespace {

constexpr int steps = 256;
constexpr double tail = 6;  // deviations beyond which nothing is expected
// Of gain_at_most: chosen on recorded and made spaces, each judged by what the others say (docs/search.md).
constexpr double most_factor = 4, most_power = 0.3, least_expected = 1e-3;

// That a config is faster than the best by more than `margin`.
double chance_beyond(const Promise& each, double best, double margin) {
  const double z = (best - margin - each.mean) / each.deviation;
  return each.works * std::erfc(-z / std::numbers::sqrt2) / 2;
}

// The expectation of 1 - exp(-unit * G), G >= 0, is the integral of unit * exp(-unit * t) * P(G > t); by the trapezoidal
// rule. `beyond(t)` is P(G > t).
template <class Beyond>
double expected_share(const Beyond& beyond, double most, double unit) {
  const double step = most / steps;
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double t = i * step;
    sum += (i == 0 || i == steps ? 0.5 : 1.0) * unit * std::exp(-unit * t) * beyond(t);
  }
  return sum * step;
}

}  // namespace

Outlook outlook_of(std::span<const Promise> unknown, double best, double unit) {
  Outlook result;
  result.configs = unknown.size();
  double most = 0;  // the largest gain that any can have
  for (const Promise& each : unknown) most = std::max(most, best - each.mean + tail * each.deviation);
  if (most <= 0) return result;
  for (const Promise& each : unknown) {
    const double gain = expected_share([&](double t) { return chance_beyond(each, best, t); }, most, unit);
    if (gain <= result.gain) continue;
    result.gain = gain;
    result.chance = chance_beyond(each, best, 0);
  }
  const auto any_beyond = [&](double t) {
    double none = 1;
    for (const Promise& each : unknown) none *= 1 - chance_beyond(each, best, t);
    return 1 - none;
  };
  result.any_chance = any_beyond(0);
  result.any_gain = expected_share(any_beyond, most, unit);
  return result;
}

double gain_at_most(double any_gain, double late_gain, std::size_t trials) {
  const double expected = any_gain + late_gain + least_expected;
  return std::min(1.0, most_factor * std::pow(expected, most_power) / std::sqrt(static_cast<double>(trials)));
}

}  // namespace warptune::tuner
