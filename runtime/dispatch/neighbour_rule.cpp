#include "runtime/dispatch/neighbour_rule.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "runtime/dispatch/log_distance.hpp"

namespace warptune::runtime {
namespace {

using Dims = std::map<std::string, std::int64_t>;

// In each dim of `asked`; false where `timed` lacks one.
bool within_an_octave(const Dims& asked, const Dims& timed) {
  return std::all_of(asked.begin(), asked.end(), [&](const auto& dim) {
    const auto found = timed.find(dim.first);
    return found != timed.end() && octaves(dim.second, found->second) <= 1;
  });
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
  std::map<Dims, std::vector<TimedNearby::Timed>> by_dims;
  for (const db::NeighbourTime& time : times) {
    if (!within_an_octave(asked, time.dims)) continue;
    if (auto config = usable(time.config, here, alignment_bytes))
      by_dims[time.dims].push_back({std::move(*config), time.time_ns});
  }
  std::optional<TimedNearby> nearby;
  for (auto& [dims, configs] : by_dims) {
    const bool only_default = configs.size() == 1 && configs.front().config == here.spec().default_config;
    const double unlike = unlikeness(asked, dims);
    if (only_default || (nearby && unlike >= nearby->unlikeness)) continue;
    nearby = TimedNearby{dims, unlike, std::move(configs)};
  }
  if (nearby)
    std::stable_sort(nearby->configs.begin(), nearby->configs.end(),
                     [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  return nearby;
}

}  // namespace warptune::runtime
