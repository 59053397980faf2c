#include "tuner/report/variance.hpp"

#include <algorithm>
#include <cmath>

namespace warptune::tuner {
namespace {

constexpr std::size_t fewest = 8;

struct Group {
  double sum = 0;
  double count = 0;
};

}  // namespace

std::map<std::string, double> variance_shares(const std::vector<TimedConfig>& configs) {
  if (configs.size() < fewest) return {};
  std::vector<double> logs;
  double mean = 0;
  for (const TimedConfig& each : configs) {
    logs.push_back(std::log(each.time_ns));
    mean += logs.back() / static_cast<double>(configs.size());
  }
  double total = 0;
  for (const double log : logs) total += (log - mean) * (log - mean);
  if (!(total > 1e-12)) return {};

  std::map<std::string, std::map<db::NamedValue, Group>> tunables;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    for (const auto& [name, value] : *configs[i].config) {
      Group& group = tunables[name][value];
      group.sum += logs[i];
      group.count += 1;
    }
  }
  std::map<std::string, double> shares;
  for (const auto& [name, groups] : tunables) {
    double between = 0;
    for (const auto& [value, group] : groups) {
      const double difference = group.sum / group.count - mean;
      between += group.count * difference * difference;
    }
    const double df_between = static_cast<double>(groups.size()) - 1;
    const double df_within = static_cast<double>(configs.size() - groups.size());
    const double within = df_within > 0 ? (total - between) / df_within : 0;
    shares[name] =
        df_between > 0 && df_within > 0 ? std::max(0.0, (between - df_between * within) / total) : 0;
  }
  return shares;
}

}  // namespace warptune::tuner
