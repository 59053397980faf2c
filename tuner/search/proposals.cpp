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
// After so many, much of the space is known. What is left is listed then, if walking up to so many combinations gives it: drawing
// from a list costs nothing, and a draw from a space of many constraints up to a millisecond.
constexpr int draws_before_listing = 8;
constexpr std::int64_t late_walked_combinations = std::int64_t{1} << 26;

}  // namespace

Proposals::Proposals(const SearchSpace& space, std::uint64_t seed) : space_(space), random_(seed) {
  list_if(walked_combinations);
}

void Proposals::list_if(std::int64_t combinations_at_most) {
  if (space_.cartesian_size() > combinations_at_most) return;
  std::optional<std::vector<Point>> points = space_.list(listed_points);
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
    if (i != draws_before_listing || tried_late_) continue;
    tried_late_ = true;
    list_if(late_walked_combinations);
    if (listed_) return random_fresh();
  }
  std::optional<Point> first;
  space_.for_each([&](const Point& point) {
    if (!known(point)) first = point;
    return !first;
  });
  return first;
}

}  // namespace warptune::tuner
