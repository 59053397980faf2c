// A space's points in its own order, one by one. One thread at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include <warptune/tuner/search_space.hpp>

namespace warptune::tuner {

// A space can only be walked from its start. Reading twice as many points each time keeps the repeated part of all walks
// together below one walk more, and a small budget on a huge space short.
class WalkAhead {
 public:
  // `space` must outlive this. `chunk`: points of the first walk, at least 1.
  WalkAhead(const SearchSpace& space, std::size_t chunk) : space_(space), chunk_(chunk) {}

  // Nothing: all were given.
  std::optional<Point> next();

 private:
  void read();

  const SearchSpace& space_;
  std::deque<Point> ahead_;
  std::size_t seen_ = 0, chunk_;
};

}  // namespace warptune::tuner
