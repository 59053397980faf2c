#include "runtime/dispatch/neighbour_rule.hpp"

#include <algorithm>
#include <cmath>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "runtime/dispatch/log_distance.hpp"

namespace warptune::runtime {
namespace {

using Dims = std::map<std::string, std::int64_t>;

// Square of the distance over the free dims; nothing where one is more than an octave away, or names differ.
std::optional<double> squared_distance(const Dims& asked, const Dims& timed) {
  double squares = 0;
  for (const auto& [name, value] : asked) {
    const auto found = timed.find(name);
    if (found == timed.end()) return std::nullopt;
    const double apart = octaves(value, found->second);
    if (apart > 1) return std::nullopt;
    squares += apart * apart;
  }
  return squares;
}

// Nothing: it cannot be read, or may not run here.
std::optional<spec::Config> usable(const db::NamedValues& stored, const spec::Instance& here,
                                   std::int64_t alignment_bytes) {
  try {
    spec::Config config = read_config(here.spec(), stored);
    if (here.alignment_class(config) > alignment_bytes || here.excluded(config)) return std::nullopt;
    return config;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<double> TimedNearby::time_ns(const spec::Config& config) const {
  for (const Timed& each : configs)
    if (each.config == config) return each.time_ns;
  return std::nullopt;
}

std::optional<double> TimedNearby::loss(const spec::Config& config) const {
  const std::optional<double> time = time_ns(config);
  return time ? std::optional(*time / configs.front().time_ns - 1) : std::nullopt;
}

std::optional<TimedNearby> timed_nearby(const std::vector<db::NeighbourTime>& times,
                                        const spec::Instance& here, std::int64_t alignment_bytes) {
  const Dims asked = problem_key(here, {}).free_dims;
  const Dims* nearest = nullptr;
  double least = 0;
  for (const db::NeighbourTime& time : times) {
    const std::optional<double> squares = squared_distance(asked, time.dims);
    if (!squares || (nearest != nullptr && *squares >= least)) continue;
    nearest = &time.dims;
    least = *squares;
  }
  if (nearest == nullptr) return std::nullopt;
  TimedNearby nearby{*nearest, std::sqrt(least), {}};
  for (const db::NeighbourTime& time : times) {
    if (time.dims != nearby.dims) continue;
    if (auto config = usable(time.config, here, alignment_bytes))
      nearby.configs.push_back({std::move(*config), time.time_ns});
  }
  if (nearby.configs.empty()) return std::nullopt;
  std::stable_sort(nearby.configs.begin(), nearby.configs.end(),
                   [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  return nearby;
}

}  // namespace warptune::runtime
