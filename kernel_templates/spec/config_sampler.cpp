#include "kernel_templates/spec/config_sampler.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "kernel_templates/spec/search_order.hpp"

namespace warptune::spec {
namespace {

// Values that listing a group may try, and combinations that are kept of it.
constexpr int listing_attempts = 1 << 19;
constexpr std::size_t listed_combinations = std::size_t{1} << 17;
// Draws before a search with backtracking takes over, and the values that search may try.
constexpr int max_draws = 256;
constexpr int max_attempts = 200000;

// Tunables that share a check, directly or through others.
std::vector<TunableMask> connected(const TemplateSpec& spec) {
  std::vector<TunableMask> groups;
  for (std::size_t i = 0; i < spec.tunables.size(); ++i) groups.push_back(TunableMask{1} << i);
  for (const Check& check : spec.analysis->checks) {
    TunableMask joined = check.needs;
    std::erase_if(groups, [&](TunableMask group) {
      const bool touched = (group & check.needs) != 0;
      if (touched) joined |= group;
      return touched;
    });
    if (joined != 0) groups.push_back(joined);
  }
  return groups;
}

const std::vector<TunableValue>& values_of(const Instance& instance, const Level& level) {
  return instance.spec().tunables[level.tunable].values;
}

}  // namespace

class ConfigSampler::Lister {
 public:
  Lister(const Instance& instance, Group& group)
      : instance_(instance), group_(group), scope_(instance.fixed().scope), indices_(group.levels.size()) {}

  void run() {
    group_.listed = visit(0);
    if (!group_.listed) group_.choices = {};
  }

 private:
  // False: too much work, or too many.
  bool visit(std::size_t depth) {
    if (depth == indices_.size()) {
      group_.choices.insert(group_.choices.end(), indices_.begin(), indices_.end());
      return group_.count() <= listed_combinations;
    }
    const auto& values = values_of(instance_, group_.levels[depth]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > std::numeric_limits<std::uint16_t>::max() || ++attempts_ > listing_attempts) return false;
      if (bind_level(instance_, group_.levels[depth], values[i].value, scope_) != no_check) continue;
      indices_[depth] = static_cast<std::uint16_t>(i);
      if (!visit(depth + 1)) return false;
    }
    return true;
  }

  const Instance& instance_;
  Group& group_;
  Scope scope_;
  std::vector<std::uint16_t> indices_;
  int attempts_ = 0;
};

// One group's part of a config.
class ConfigSampler::Draw {
 public:
  Draw(const Instance& instance, std::mt19937_64& random, Config& config)
      : instance_(instance), random_(random), config_(config) {}

  bool run(const Group& group) {
    if (group.listed) return take(group);
    if (!scope_) scope_ = instance_.fixed().scope;
    attempts_ = 0;
    // Rejection keeps the draw even; where hardly anything is valid, something is searched for instead.
    for (int i = 0; i < max_draws; ++i)
      if (draw(group)) return true;
    return search(group, 0);
  }

 private:
  // The standard's distributions differ between libraries; a remainder is the same everywhere, its bias
  // negligible here.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  bool take(const Group& group) {
    if (group.choices.empty()) return false;
    const std::size_t first = below(group.count()) * group.levels.size();
    for (std::size_t i = 0; i < group.levels.size(); ++i) {
      const Level& level = group.levels[i];
      config_.values[level.tunable] = values_of(instance_, level)[group.choices[first + i]].value;
    }
    return true;
  }

  bool bind(const Level& level, Value value) {
    config_.values[level.tunable] = value;
    return bind_level(instance_, level, value, *scope_) == no_check;
  }

  bool draw(const Group& group) {
    for (const Level& level : group.levels) {
      const auto& values = values_of(instance_, level);
      if (!bind(level, values[below(values.size())].value)) return false;
    }
    return true;
  }

  bool search(const Group& group, std::size_t depth) {
    if (depth == group.levels.size()) return true;
    const auto& values = values_of(instance_, group.levels[depth]);
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    for (const std::size_t index : order) {
      if (++attempts_ > max_attempts) return false;
      if (bind(group.levels[depth], values[index].value) && search(group, depth + 1)) return true;
    }
    return false;
  }

  const Instance& instance_;
  std::mt19937_64& random_;
  Config& config_;
  std::optional<Scope> scope_;  // made where some group is not listed
  int attempts_ = 0;
};

ConfigSampler::ConfigSampler(Instance instance) : instance_(std::move(instance)) {
  const TemplateSpec& spec = instance_.spec();
  for (const TunableMask mask : connected(spec)) {
    Group& group = groups_.emplace_back();
    group.levels = make_levels(spec, *spec.analysis, mask);
    Lister(instance_, group).run();
  }
}

std::optional<Config> ConfigSampler::sample(std::mt19937_64& random) const {
  Config config;
  config.values.resize(instance_.spec().tunables.size());
  Draw draw(instance_, random, config);
  for (const Group& group : groups_)
    if (!draw.run(group)) return std::nullopt;
  return config;
}

std::optional<std::int64_t> ConfigSampler::count() const {
  std::int64_t count = 1;
  for (const Group& group : groups_) {
    if (!group.listed) return std::nullopt;
    count = saturating_product(count, static_cast<std::int64_t>(group.count()));
  }
  return count;
}

std::vector<Config> ConfigSampler::list() const {
  const std::vector<Tunable>& tunables = instance_.spec().tunables;
  using Indices = std::vector<std::uint16_t>;
  std::vector<Indices> all{Indices(tunables.size())};
  for (const Group& group : groups_) {
    std::vector<Indices> longer;
    for (const Indices& each : all) {
      for (std::size_t first = 0; first < group.choices.size(); first += group.levels.size()) {
        Indices& indices = longer.emplace_back(each);
        for (std::size_t i = 0; i < group.levels.size(); ++i)
          indices[group.levels[i].tunable] = group.choices[first + i];
      }
    }
    all = std::move(longer);
  }
  std::sort(all.begin(), all.end());
  std::vector<Config> configs(all.size());
  for (std::size_t c = 0; c < all.size(); ++c)
    for (std::size_t i = 0; i < tunables.size(); ++i)
      configs[c].values.push_back(tunables[i].values[all[c][i]].value);
  return configs;
}

}  // namespace warptune::spec
