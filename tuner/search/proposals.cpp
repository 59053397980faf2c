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
// The same for draws that find nothing at all, which take long.
constexpr int empty_draws = 2;
constexpr std::size_t first_walk = 16;
// The pool's share that gives way to new points each time.
constexpr std::size_t renewed_share = 4;
// After so many, much of the space is known. What is left is listed then, if walking up to so many combinations gives it: drawing
// from a list costs nothing, and a draw from a space of many constraints up to a millisecond.
constexpr int draws_before_listing = 8;
constexpr std::int64_t late_walked_combinations = std::int64_t{1} << 26;

}  // namespace

Proposals::Proposals(const SearchSpace& space, std::uint64_t seed)
    : space_(space), random_(seed), walk_(space, first_walk) {
  list_if(walked_combinations);
}

void Proposals::list_if(std::int64_t combinations_at_most) {
  if (space_.listing_cost() > combinations_at_most) return;
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
  int empty = 0;
  for (int i = 0; i < fruitless_draws && empty < empty_draws; ++i) {
    std::optional<Point> point = space_.sample(random_);
    if (!point) ++empty;
    if (point && !known(*point)) return point;
    if (i != draws_before_listing || tried_late_) continue;
    tried_late_ = true;
    list_if(late_walked_combinations);
    if (listed_) return random_fresh();
  }
  while (!walked_ || known(*walked_)) {
    walked_ = walk_.next();
    if (!walked_) break;
  }
  return walked_;
}

const std::vector<Point>& Proposals::pool(std::size_t size) {
  std::erase_if(pool_, [&](const Point& point) { return known(point); });
  const std::size_t kept = size - size / renewed_share;
  if (pool_.size() > kept) pool_.erase(pool_.begin(), pool_.end() - static_cast<std::ptrdiff_t>(kept));
  for (std::size_t draws = size - pool_.size(); draws > 0; --draws) {
    std::optional<Point> point = space_.sample(random_);
    if (!point) break;
    if (!known(*point)) pool_.push_back(std::move(*point));
  }
  return pool_;
}

}  // namespace warptune::tuner
