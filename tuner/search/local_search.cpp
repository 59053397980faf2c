#include "tuner/search/local_search.hpp"

#include <algorithm>
#include <limits>

#include "tuner/search/breed.hpp"
#include "tuner/search/draw.hpp"
#include "tuner/search/one_by_one.hpp"

namespace warptune::tuner {
namespace {

constexpr int kicked_values = 3;
constexpr int kicks_tried = 20;  // until one lands on a fresh point

class LocalSearch final : public OneByOne {
 public:
  using OneByOne::OneByOne;

  void tell(const Observation& observation) override {
    proposals_.add(observation.point);
    if (!observation.time) return;
    if (*observation.time < best_time_) {
      best_time_ = *observation.time;
      best_ = observation.point;
    }
    if (*observation.time >= current_time_) return;
    current_time_ = *observation.time;
    queue_neighbours(observation.point);
  }

 private:
  std::optional<Point> next() override {
    while (!queue_.empty()) {
      Point point = std::move(queue_.back());
      queue_.pop_back();
      if (proposals_.fresh(point)) return point;
    }
    current_time_ = std::numeric_limits<double>::infinity();  // whatever comes next is descended from
    if (best_.empty() || draw_below(proposals_.random(), 2) == 0) return proposals_.random_fresh();
    for (int i = 0; i < kicks_tried; ++i) {
      Point point = best_;
      for (int k = 0; k < kicked_values; ++k) mutate(proposals_.space(), point, proposals_.random());
      if (proposals_.fresh(point)) return point;
    }
    return proposals_.random_fresh();
  }

  // The queue is taken from its end.
  void queue_neighbours(const Point& point) {
    queue_ = proposals_.space().neighbours(point, false);
    shuffle(queue_, proposals_.random());
    std::vector<Point> adjacent = proposals_.space().neighbours(point, true);
    shuffle(adjacent, proposals_.random());
    queue_.insert(queue_.end(), adjacent.begin(), adjacent.end());
  }

  std::vector<Point> queue_;
  Point best_;
  double best_time_ = std::numeric_limits<double>::infinity();
  double current_time_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::unique_ptr<Strategy> make_local_search(const SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<LocalSearch>(space, options);
}

}  // namespace warptune::tuner
