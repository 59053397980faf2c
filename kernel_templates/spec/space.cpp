#include <warptune/spec/space.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "kernel_templates/spec/config_sampler.hpp"
#include "kernel_templates/spec/search_order.hpp"

namespace warptune::spec {
namespace {

Config to_config(const TemplateSpec& spec, const Scope& scope) {
  Config config;
  config.values.reserve(spec.tunables.size());
  for (const Tunable& tunable : spec.tunables) config.values.push_back(scope.get(tunable.symbol));
  return config;
}

}  // namespace

std::string SpaceReport::text() const {
  std::string result = fmt::format("{} of {} configs are valid", valid, cartesian);
  const char* separator = "; ";
  for (const ExclusionCount& exclusion : exclusions) {
    result += fmt::format("{}`{}` excludes {} ({})", separator, exclusion.reason.constraint,
                          exclusion.configs, exclusion.reason.why);
    separator = ", ";
  }
  return result;
}

struct Space::Lazy {
  std::once_flag once;
  std::optional<ConfigSampler> sampler;
};

Space::Space(Instance instance) : instance_(std::move(instance)), lazy_(std::make_shared<Lazy>()) {}

const ConfigSampler& Space::sampler() const {
  std::call_once(lazy_->once, [this] { lazy_->sampler.emplace(instance_); });
  return *lazy_->sampler;
}

std::int64_t Space::cartesian_size() const {
  std::int64_t size = 1;
  for (const Tunable& tunable : instance_.spec().tunables) {
    size = saturating_product(size, static_cast<std::int64_t>(tunable.values.size()));
  }
  return size;
}

void Space::for_each(const std::function<bool(const Config&)>& visit) const {
  const TemplateSpec& spec = instance_.spec();
  walk(instance_, spec.analysis->levels, [&](const Scope& scope) { return visit(to_config(spec, scope)); },
       {});
}

std::vector<Config> Space::list() const {
  if (sampler().count()) return sampler().list();
  std::vector<Config> configs;
  for_each([&](const Config& config) {
    configs.push_back(config);
    return true;
  });
  return configs;
}

std::int64_t Space::count() const {
  std::int64_t count = 0;
  walk(instance_, instance_.spec().analysis->levels, [&](const Scope&) { return ++count > 0; }, {});
  return count;
}

SpaceReport Space::report() const {
  const std::vector<Check>& checks = instance_.spec().analysis->checks;
  SpaceReport report;
  report.cartesian = cartesian_size();
  std::vector<std::int64_t> excluded(checks.size());
  walk(
      instance_, instance_.spec().analysis->levels, [&](const Scope&) { return ++report.valid > 0; },
      [&](std::size_t check, std::int64_t configs) {
        if (__builtin_add_overflow(excluded[check], configs, &excluded[check])) {
          excluded[check] = std::numeric_limits<std::int64_t>::max();
        }
      });
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (excluded[i] > 0) report.exclusions.push_back({describe(instance_, checks[i]), excluded[i]});
  }
  std::stable_sort(report.exclusions.begin(), report.exclusions.end(),
                   [](const auto& a, const auto& b) { return a.configs > b.configs; });
  return report;
}

std::optional<Config> Space::sample(std::mt19937_64& random) const { return sampler().sample(random); }

std::optional<std::int64_t> Space::quick_count() const { return sampler().count(); }

bool Space::contains(const Config& config) const { return meets_checks(instance_, config); }

std::vector<Config> Space::neighbours(const Config& config, bool adjacent_only) const {
  const TemplateSpec& spec = instance_.spec();
  std::vector<Config> result;
  for (std::size_t i = 0; i < spec.tunables.size(); ++i) {
    const auto& values = spec.tunables[i].values;
    const auto own = std::find_if(values.begin(), values.end(),
                                  [&](const TunableValue& value) { return value.value == config.values[i]; });
    for (auto other = values.begin(); other != values.end(); ++other) {
      const auto distance = other - own;
      if (distance == 0 || (adjacent_only && distance != 1 && distance != -1)) continue;
      Config neighbour = config;
      neighbour.values[i] = other->value;
      if (contains(neighbour)) result.push_back(std::move(neighbour));
    }
  }
  return result;
}

}  // namespace warptune::spec
