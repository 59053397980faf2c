#include "tuner/search/exhaustive.hpp"

#include <deque>

#include "tuner/search/proposals.hpp"

namespace warptune::tuner {
namespace {

class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(const SearchSpace& space) : space_(space) {}

  std::vector<Point> ask(std::size_t count) override {
    std::vector<Point> batch;
    while (batch.size() < count) {
      if (ahead_.empty() && !read_ahead()) break;
      Point point = std::move(ahead_.front());
      ahead_.pop_front();
      if (known_.insert(point).second) batch.push_back(std::move(point));
    }
    return batch;
  }

  void tell(const Observation& observation) override { known_.insert(observation.point); }

 private:
  // The space can only be walked from its start. Reading twice as many each time keeps the repeated part of
  // all walks together below one walk more, and a small budget on a huge space short.
  bool read_ahead() {
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
    return !ahead_.empty();
  }

  const SearchSpace& space_;
  std::unordered_set<Point, PointHash> known_;
  std::deque<Point> ahead_;
  std::size_t seen_ = 0;
  std::size_t chunk_ = 1024;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const SearchSpace& space, const StrategyOptions&) {
  return std::make_unique<Exhaustive>(space);
}

}  // namespace warptune::tuner
