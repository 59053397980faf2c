#include "tuner/search/walk_ahead.hpp"

#include <utility>

namespace warptune::tuner {

std::optional<Point> WalkAhead::next() {
  if (ahead_.empty()) read();
  if (ahead_.empty()) return std::nullopt;
  Point point = std::move(ahead_.front());
  ahead_.pop_front();
  return point;
}

void WalkAhead::read() {
  std::size_t to_skip = seen_;
  space_.for_each([&](const Point& point) {
    if (to_skip > 0) {
      --to_skip;
      return true;
    }
    ahead_.push_back(point);
    return ahead_.size() < chunk_;
  });
  seen_ += ahead_.size();
  chunk_ *= 2;
}

}  // namespace warptune::tuner
