#include "tuner/search/template_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include <warptune/base/error.hpp>
#include <warptune/spec/occupancy.hpp>

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

std::optional<std::vector<Point>> TemplateSpace::list(std::size_t limit) const {
  const std::optional<std::int64_t> count = space_.quick_count();
  if (!count) return SearchSpace::list(limit);
  if (*count > static_cast<std::int64_t>(limit)) return std::nullopt;
  std::vector<Point> points;
  for (const spec::Config& config : space_.list()) points.push_back(point(config));
  return points;
}

void TemplateSpace::know(const Point& point, const spec::KernelTraits& kernel) {
  if (kernel.registers > 0) compiled_.push_back({point, kernel});
}

// Of the known config with the smallest distance: ranks scaled to 0..1 and summed, words alike or not.
spec::KernelTraits TemplateSpace::kernel_of(const Point& point) const {
  spec::KernelTraits nearest;
  double least = std::numeric_limits<double>::infinity();
  for (const Compiled& each : compiled_) {
    double apart = 0;
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (point[i] == each.point[i]) continue;
      const Parameter& parameter = parameters()[i];
      apart += parameter.ordered ? std::abs(double{1} * point[i] - each.point[i]) /
                                       static_cast<double>(parameter.values.size() - 1)
                                 : 1;
    }
    if (apart >= least) continue;
    least = apart;
    nearest = each.kernel;
  }
  nearest.max_threads_per_block =
      spec::KernelTraits().max_threads_per_block;  // that is the other config's own
  return nearest;
}

std::vector<double> TemplateSpace::features(const Point& point) const {
  const spec::Instance& instance = space_.instance();
  const spec::Config own = config(point);
  const spec::KernelTraits kernel = kernel_of(point);
  std::vector<double> figures(9);
  try {
    double threads = 0, blocks = 0, all = 0, shared_bytes = 0;
    for (const spec::PlanStep& step : instance.plan(own).steps) {
      const auto* launch = std::get_if<spec::KernelStep>(&step);
      if (launch == nullptr) continue;
      const double block = double{1} * launch->block.x * launch->block.y * launch->block.z;
      const double grid = double{1} * launch->grid.x * launch->grid.y * launch->grid.z;
      if (block * grid <= all) continue;
      threads = block;
      blocks = grid;
      all = block * grid;
      shared_bytes = static_cast<double>(launch->shared_bytes);
    }
    const spec::DeviceTraits& device = instance.device();
    const int resident = threads > 0 ? spec::blocks_per_sm(device, kernel, static_cast<std::int64_t>(threads),
                                                           static_cast<std::int64_t>(shared_bytes))
                                     : 0;
    const double waves = std::ceil(blocks / std::max(1.0, double{1} * resident * device.sm_count));
    figures = {log2_of(threads),
               log2_of(blocks),
               log2_of(all),
               log2_of(waves),
               log2_of(resident * threads),
               log2_of(shared_bytes),
               log2_of(static_cast<double>(instance.alignment_class(own))),
               0,
               0};
  } catch (const Error&) {
    // The plan needs kernel.*, or fails for this config: it has no figures before it is compiled.
  }
  figures[7] = log2_of(kernel.registers);
  figures[8] = log2_of(kernel.local_bytes);
  return figures;
}

}  // namespace warptune::tuner
