// What every strategy keeps: which points are known, and points at random that are not. One thread at a time.
#pragma once

#include <optional>
#include <random>
#include <unordered_set>
#include <vector>

#include <warptune/tuner/search_space.hpp>

#include "tuner/search/walk_ahead.hpp"

namespace warptune::tuner {

class Proposals {
 public:
  Proposals(const SearchSpace& space, std::uint64_t seed);

  // False when it was known already.
  bool add(const Point& point) { return known_.insert(point).second; }
  bool known(const Point& point) const { return known_.contains(point); }
  // Of the space, and not known.
  bool fresh(const Point& point) const { return space_.contains(point) && !known(point); }
  // A fresh point at random, which is not added; nothing: all of the space is known.
  std::optional<Point> random_fresh();
  // All of a small space's fresh points; empty: the space is too large to list, or exhausted.
  // Valid until the next call of a member that is not const.
  const std::vector<Point>& listed_fresh();
  bool listed() const { return listed_; }
  // Up to `size` fresh points at random of a space too large to list, most of them those of the call before: a draw may cost
  // much where few combinations are valid. Valid until the next call of a member that is not const.
  const std::vector<Point>& pool(std::size_t size);

  const SearchSpace& space() const { return space_; }
  std::mt19937_64& random() { return random_; }

 private:
  // Lists the space if that looks at no more combinations, and it has few enough points.
  void list_if(std::int64_t combinations_at_most);

  const SearchSpace& space_;
  std::mt19937_64 random_;
  std::unordered_set<Point, PointHash> known_;
  std::vector<Point> fresh_;  // of a small space; may hold some that became known
  std::vector<Point> pool_;   // of a large one, oldest first
  WalkAhead walk_;            // for what draws do not find
  std::optional<Point> walked_;
  bool listed_ = false;
  bool tried_late_ = false;  // listing the space once much of it was known
};

}  // namespace warptune::tuner
