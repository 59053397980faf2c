#include "tuner/search/template_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include <warptune/base/error.hpp>

namespace warptune::tuner {
namespace {

std::vector<Parameter> parameters_of(const spec::TemplateSpec& spec) {
  std::vector<Parameter> parameters;
  for (const spec::Tunable& tunable : spec.tunables) {
    if (tunable.values.size() > std::numeric_limits<std::uint16_t>::max())
      throw Error(ErrorKind::bad_input, "tunable '" + tunable.name + "' has over 65535 values",
                  "leave some of them out");
    Parameter parameter{tunable.name, {}, true};
    for (const spec::TunableValue& each : tunable.values) {
      parameter.ordered = parameter.ordered && each.value.kind() == spec::Value::Kind::integer;
      parameter.values.push_back(parameter.ordered ? static_cast<double>(each.value.as_integer()) : 0);
    }
    if (!parameter.ordered)
      for (std::size_t i = 0; i < parameter.values.size(); ++i) parameter.values[i] = static_cast<double>(i);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

double log2_of(double value) { return std::log2(std::max(1.0, value)); }

}  // namespace

TemplateSpace::TemplateSpace(const spec::Instance& instance)
    : SearchSpace(parameters_of(instance.spec())), space_(instance) {}

spec::Config TemplateSpace::config(const Point& point) const {
  const spec::TemplateSpec& spec = space_.instance().spec();
  spec::Config config;
  config.values.reserve(point.size());
  for (std::size_t i = 0; i < point.size(); ++i)
    config.values.push_back(spec.tunables[i].values[point[i]].value);
  return config;
}

Point TemplateSpace::point(const spec::Config& config) const {
  const spec::TemplateSpec& spec = space_.instance().spec();
  Point point;
  point.reserve(config.values.size());
  for (std::size_t i = 0; i < config.values.size(); ++i) {
    const auto& values = spec.tunables[i].values;
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const auto& each) { return each.value == config.values[i]; });
    if (found == values.end())
      throw Error(ErrorKind::usage,
                  "tunable " + spec.tunables[i].name + " has no value " + config.values[i].text(),
                  "take configs from the same template");
    point.push_back(static_cast<std::uint16_t>(found - values.begin()));
  }
  return point;
}

std::optional<Point> TemplateSpace::sample(std::mt19937_64& random) const {
  const std::optional<spec::Config> config = space_.sample(random);
  if (!config) return std::nullopt;
  return point(*config);
}

void TemplateSpace::for_each(const std::function<bool(const Point&)>& visit) const {
  space_.for_each([&](const spec::Config& config) { return visit(point(config)); });
}

std::vector<double> TemplateSpace::features(const Point& point) const {
  const spec::Instance& instance = space_.instance();
  const spec::Config own = config(point);
  std::vector<double> figures(5);
  try {
    double threads = 0, blocks = 0, shared_bytes = 0;
    for (const spec::PlanStep& step : instance.plan(own).steps) {
      const auto* kernel = std::get_if<spec::KernelStep>(&step);
      if (kernel == nullptr) continue;
      threads = std::max(threads, double{1} * kernel->block.x * kernel->block.y * kernel->block.z);
      blocks = std::max(blocks, double{1} * kernel->grid.x * kernel->grid.y * kernel->grid.z);
      shared_bytes = std::max<double>(shared_bytes, kernel->shared_bytes);
    }
    figures = {log2_of(threads), log2_of(blocks), log2_of(std::ceil(blocks / instance.device().sm_count)),
               log2_of(shared_bytes), log2_of(static_cast<double>(instance.alignment_class(own)))};
  } catch (const Error&) {
    // The plan needs kernel.*, or fails for this config: it has no figures before it is compiled.
  }
  return figures;
}

}  // namespace warptune::tuner
