#include <warptune/tuner/search_space.hpp>

#include <cstdlib>
#include <limits>
#include <utility>

namespace warptune::tuner {

std::size_t PointHash::operator()(const Point& point) const noexcept {
  // Multiply and mix per index (splitmix64's finaliser).
  std::uint64_t hash = 0x9e3779b97f4a7c15U;
  for (const std::uint16_t index : point) {
    hash = (hash ^ index) * 0xbf58476d1ce4e5b9U;
    hash ^= hash >> 29;
  }
  hash *= 0x94d049bb133111ebU;
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

SearchSpace::SearchSpace(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
  for (const Parameter& parameter : parameters_) {
    const auto count = static_cast<std::int64_t>(parameter.values.size());
    if (__builtin_mul_overflow(cartesian_size_, count, &cartesian_size_))
      cartesian_size_ = std::numeric_limits<std::int64_t>::max();
  }
}

std::vector<Point> SearchSpace::neighbours(const Point& point, bool adjacent) const {
  std::vector<Point> result;
  Point neighbour = point;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    for (std::size_t value = 0; value < parameters_[i].values.size(); ++value) {
      const int step = std::abs(static_cast<int>(value) - static_cast<int>(point[i]));
      if (step == 0 || (adjacent && parameters_[i].ordered && step > 1)) continue;
      neighbour[i] = static_cast<std::uint16_t>(value);
      if (contains(neighbour)) result.push_back(neighbour);
    }
    neighbour[i] = point[i];
  }
  return result;
}

std::optional<std::vector<Point>> SearchSpace::list(std::size_t limit) const {
  std::vector<Point> points;
  bool more = false;
  for_each([&](const Point& point) {
    more = points.size() == limit;
    if (!more) points.push_back(point);
    return !more;
  });
  if (more) return std::nullopt;
  return points;
}

}  // namespace warptune::tuner
