#include "tuner/search/space_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warptune::tuner {
namespace {

// Features are logarithms to base 2; quarter steps up to 2^32 tell launches apart.
constexpr std::size_t feature_levels = 129;
constexpr double steps_a_unit = 4;
// A feature's distance is relative to its range in the space, as a parameter's is, but a range of less than so many
// octaves counts as this: what hardly varies hardly matters. The range is seen on so many points at random.
constexpr double least_range = 4;
constexpr int range_points = 256;
// Parameters with more values are compared by so many levels: a table of all pairs must stay small.
constexpr std::size_t most_levels = 256;
// Weight of divisibility by two beside rank and size, and the power from which on more does not count.
constexpr double divisibility_weight = 1;
constexpr int divisibility_most = 7;

double divisibility(double value) {
  if (!(value >= 1) || value != std::floor(value) || value > 0x1p53) return 0;
  auto whole = static_cast<std::uint64_t>(value);
  int twos = 0;
  for (; whole % 2 == 0 && twos < divisibility_most; whole /= 2) ++twos;
  return twos / static_cast<double>(divisibility_most);
}

// Scaled to 0..1 between the smallest and largest.
std::vector<double> scaled(std::vector<double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double low = *least, range = *most - *least;
  for (double& value : values) value = range > 0 ? (value - low) / range : 0;
  return values;
}

std::vector<double> positions(const Parameter& parameter) {
  std::vector<double> ranks(parameter.values.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<double>(i);
  ranks = scaled(ranks);
  if (*std::min_element(parameter.values.begin(), parameter.values.end()) <= 0) return ranks;
  std::vector<double> logs(ranks.size());
  std::transform(parameter.values.begin(), parameter.values.end(), logs.begin(),
                 [](double value) { return std::log(value); });
  logs = scaled(logs);
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = (ranks[i] + logs[i]) / 2;
  return ranks;
}

std::vector<float> distances(const Parameter& parameter, double weight) {
  const std::size_t count = parameter.values.size();
  const std::vector<double> position = positions(parameter);
  std::vector<float> result(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      const double divides = weight * (divisibility(parameter.values[i]) - divisibility(parameter.values[j]));
      const double apart = parameter.ordered ? std::hypot(position[i] - position[j], divides) : i != j;
      result[i * count + j] = static_cast<float>(apart);
    }
  }
  return result;
}

std::size_t level_of(std::size_t index, std::size_t count) {
  return count <= most_levels ? index : index * most_levels / count;
}

// The parameter with one value a level.
Parameter with_levels(Parameter parameter) {
  const std::size_t count = parameter.values.size();
  std::vector<double> values(std::min(count, most_levels));
  for (std::size_t i = count; i-- > 0;) values[level_of(i, count)] = parameter.values[i];
  parameter.values = std::move(values);
  return parameter;
}

std::vector<float> feature_distances(double range) {
  std::vector<float> result(feature_levels * feature_levels);
  for (std::size_t i = 0; i < feature_levels; ++i)
    for (std::size_t j = 0; j < feature_levels; ++j)
      result[i * feature_levels + j] = static_cast<float>(
          std::abs(static_cast<double>(i) - static_cast<double>(j)) / (steps_a_unit * range));
  return result;
}

std::vector<double> feature_ranges(const SearchSpace& space) {
  std::mt19937_64 random(1);
  std::vector<double> least, most;
  for (int i = 0; i < range_points; ++i) {
    const std::optional<Point> point = space.sample(random);
    if (!point) continue;
    const std::vector<double> features = space.features(*point);
    if (features.empty()) break;
    if (least.empty()) least = most = features;
    for (std::size_t f = 0; f < features.size(); ++f) {
      least[f] = std::min(least[f], features[f]);
      most[f] = std::max(most[f], features[f]);
    }
  }
  for (std::size_t f = 0; f < most.size(); ++f) most[f] = std::max(least_range, most[f] - least[f]);
  return most;
}

}  // namespace

SpaceKernel::SpaceKernel(const SearchSpace& space, const ModelParts& parts) : space_(space) {
  for (const Parameter& parameter : space.parameters()) {
    const Parameter levels = with_levels(parameter);
    tables_.push_back({levels.values.size(),
                       false,
                       distances(levels, parts.divisibility ? divisibility_weight : 0),
                       {},
                       {}});
  }
  if (parts.features) {
    const std::vector<double> ranges = feature_ranges(space);
    features_ = ranges.size();
    for (const double range : ranges)
      tables_.push_back({feature_levels, true, feature_distances(range), {}, {}});
  }
  usual_log_length_ =
      std::log(std::sqrt(static_cast<double>(std::max<std::size_t>(1, space.parameters().size()))));
  set(std::vector<double>(tables_.size(), usual_log_length_), shape_);
}

Encoded SpaceKernel::encode(const Point& point) const {
  Encoded encoded = point;
  for (std::size_t i = 0; i < point.size(); ++i)
    encoded[i] = static_cast<std::uint16_t>(level_of(point[i], space_.parameters()[i].values.size()));
  if (features_ == 0) return encoded;
  for (const double feature : space_.features(point))
    encoded.push_back(static_cast<std::uint16_t>(
        std::clamp(std::round(feature * steps_a_unit), 0.0, static_cast<double>(feature_levels - 1))));
  return encoded;
}

void SpaceKernel::set(const std::vector<double>& log_lengths, KernelShape shape) {
  log_lengths_ = log_lengths;
  shape_ = shape;
  for (std::size_t d = 0; d < tables_.size(); ++d) tabulate(tables_[d], log_lengths_[d]);
}

void SpaceKernel::tabulate(Table& table, double log_length) const {
  table.covariance.resize(table.distance.size());
  table.slope.resize(table.distance.size());
  const double scale = std::exp(-log_length) * (shape_ == KernelShape::matern52 ? std::sqrt(5.0) : 1.0);
  const std::size_t worked_out = table.even ? table.count : table.distance.size();
  for (std::size_t i = 0; i < worked_out; ++i) {
    const double r = static_cast<double>(table.distance[i]) * scale;
    const double polynomial = shape_ == KernelShape::matern52 ? 1 + r + r * r / 3 : 1;
    table.covariance[i] = static_cast<float>(polynomial * std::exp(-r));
    table.slope[i] =
        static_cast<float>(shape_ == KernelShape::matern52 ? r * r * (1 + r) / (3 * polynomial) : r);
  }
  for (std::size_t i = 1; worked_out < table.distance.size() && i < table.count; ++i) {
    for (std::size_t j = 0; j < table.count; ++j) {
      const std::size_t apart = i > j ? i - j : j - i;
      table.covariance[i * table.count + j] = table.covariance[apart];
      table.slope[i * table.count + j] = table.slope[apart];
    }
  }
}

}  // namespace warptune::tuner
