#include "tuner/loop/exclusions.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <warptune/base/text.hpp>
#include <warptune/spec/space.hpp>

namespace warptune::tuner {
namespace {

constexpr std::int64_t walked_size = std::int64_t{1} << 20;
constexpr std::size_t shown_at_most = 3;

// Calls `visit` with every combination of values, valid or not.
template <typename Visit>
void for_each_point(const spec::TemplateSpec& spec, const Visit& visit) {
  std::vector<std::size_t> at(spec.tunables.size());
  spec::Config config = spec.default_config;
  for (;;) {
    for (std::size_t i = 0; i < at.size(); ++i) config.values[i] = spec.tunables[i].values[at[i]].value;
    visit(config);
    std::size_t i = at.size();
    while (i > 0 && ++at[i - 1] == spec.tunables[i - 1].values.size()) at[--i] = 0;
    if (i == 0) return;
  }
}

}  // namespace

std::optional<std::vector<ExclusionCount>> count_exclusions(const spec::Instance& instance) {
  if (spec::Space(instance).cartesian_size() > walked_size) return std::nullopt;
  std::map<std::pair<std::string, std::string>, std::int64_t> counts;
  for_each_point(instance.spec(), [&](const spec::Config& config) {
    if (const auto exclusion = instance.excluded_from_search(config))
      ++counts[{exclusion->constraint, exclusion->why}];
  });
  std::vector<ExclusionCount> sorted;
  for (const auto& [reason, configs] : counts) sorted.push_back({reason.first, reason.second, configs});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const ExclusionCount& a, const ExclusionCount& b) { return a.configs > b.configs; });
  return sorted;
}

std::string exclusions_text(const spec::Instance& instance) {
  const auto counts = count_exclusions(instance);
  if (!counts) return {};
  std::vector<std::string> parts;
  for (const ExclusionCount& each : *counts) {
    if (parts.size() == shown_at_most) break;
    parts.push_back(fmt::format("{} by `{}` ({})", each.configs, each.constraint, each.why));
  }
  return join(parts, "; ");
}

}  // namespace warptune::tuner
