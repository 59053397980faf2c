#include <warptune/spec/space.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernel_templates/spec/search_order.hpp"

namespace warptune::spec {
namespace {

// Draws before a search with backtracking takes over, and the values that search may try.
constexpr int max_draws = 256;
constexpr int max_attempts = 200000;

Config to_config(const TemplateSpec& spec, const Scope& scope) {
  Config config;
  config.values.reserve(spec.tunables.size());
  for (const Tunable& tunable : spec.tunables) config.values.push_back(scope.get(tunable.symbol));
  return config;
}

class Sampler {
 public:
  Sampler(const Instance& instance, std::mt19937_64& random)
      : instance_(instance),
        levels_(instance.spec().analysis->levels),
        random_(random),
        scope_(instance.fixed().scope) {}

  std::optional<Config> run() {
    // Rejection keeps the draw uniform; where hardly any config is valid, one is searched for instead.
    for (int i = 0; i < max_draws; ++i) {
      if (draw()) return to_config(instance_.spec(), scope_);
    }
    if (search(0)) return to_config(instance_.spec(), scope_);
    return std::nullopt;
  }

 private:
  // The standard's distributions differ between libraries; a remainder is the same everywhere, its bias
  // negligible here.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  const std::vector<TunableValue>& values(std::size_t depth) const {
    return instance_.spec().tunables[levels_[depth].tunable].values;
  }

  bool draw() {
    for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
      const auto& list = values(depth);
      if (bind_level(instance_, levels_[depth], list[below(list.size())].value, scope_) != no_check)
        return false;
    }
    return true;
  }

  bool search(std::size_t depth) {
    if (depth == levels_.size()) return true;
    const auto& list = values(depth);
    std::vector<std::size_t> order(list.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    for (std::size_t index : order) {
      if (++attempts_ > max_attempts) return false;
      if (bind_level(instance_, levels_[depth], list[index].value, scope_) == no_check && search(depth + 1))
        return true;
    }
    return false;
  }

  const Instance& instance_;
  const std::vector<Level>& levels_;
  std::mt19937_64& random_;
  Scope scope_;
  int attempts_ = 0;
};

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

Space::Space(Instance instance) : instance_(std::move(instance)) {}

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

std::optional<Config> Space::sample(std::mt19937_64& random) const {
  return Sampler(instance_, random).run();
}

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
