#include "tuner/search/proposals.hpp"

#include <algorithm>

#include "tuner/search/draw.hpp"

namespace warptune::tuner {
namespace {

// Spaces up to this many combinations, before constraints, are walked when a strategy starts, and kept when
// they have at most so many points. Larger ones are only sampled.
constexpr std::int64_t walked_combinations = std::int64_t{1} << 18;
constexpr std::size_t listed_points = std::size_t{1} << 15;
// Draws in a row that may bring nothing new before the rest is taken in the space's own order: by then nearly
// all is known, or sampling cannot find its few valid points.
constexpr int fruitless_draws = 256;

}  // namespace

Proposals::Proposals(const SearchSpace& space, std::uint64_t seed) : space_(space), random_(seed) {
  if (space.cartesian_size() > walked_combinations) return;
  std::optional<std::vector<Point>> points = space.list(listed_points);
  if (!points) return;
  fresh_ = std::move(*points);
  listed_ = true;
}

const std::vector<Point>& Proposals::listed_fresh() {
  std::erase_if(fresh_, [&](const Point& point) { return known(point); });
  return fresh_;
}

std::optional<Point> Proposals::random_fresh() {
  if (listed_) {
    while (!fresh_.empty()) {
      const std::size_t at = draw_below(random_, fresh_.size());
      if (!known(fresh_[at])) return fresh_[at];
      fresh_[at] = std::move(fresh_.back());
      fresh_.pop_back();
    }
    return std::nullopt;
  }
  for (int i = 0; i < fruitless_draws; ++i) {
    std::optional<Point> point = space_.sample(random_);
    if (point && !known(*point)) return point;
  }
  std::optional<Point> first;
  space_.for_each([&](const Point& point) {
    if (!known(point)) first = point;
    return !first;
  });
  return first;
}

}  // namespace warptune::tuner
