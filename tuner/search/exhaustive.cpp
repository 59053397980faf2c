#include "tuner/search/exhaustive.hpp"

#include <unordered_set>

#include "tuner/search/walk_ahead.hpp"

namespace warptune::tuner {
namespace {

constexpr std::size_t first_walk = 1024;

class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(const SearchSpace& space) : walk_(space, first_walk) {}

  std::vector<Point> ask(std::size_t count) override {
    std::vector<Point> batch;
    while (batch.size() < count) {
      std::optional<Point> point = walk_.next();
      if (!point) break;
      if (known_.insert(*point).second) batch.push_back(std::move(*point));
    }
    return batch;
  }

  void tell(const Observation& observation) override { known_.insert(observation.point); }

 private:
  WalkAhead walk_;
  std::unordered_set<Point, PointHash> known_;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const SearchSpace& space, const StrategyOptions&) {
  return std::make_unique<Exhaustive>(space);
}

}  // namespace warptune::tuner
