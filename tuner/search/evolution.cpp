#include "tuner/search/evolution.hpp"

#include <algorithm>

#include "tuner/search/breed.hpp"
#include "tuner/search/draw.hpp"
#include "tuner/search/one_by_one.hpp"

namespace warptune::tuner {
namespace {

constexpr std::size_t population_size = 20;
constexpr int tournament = 3;
constexpr int births_tried = 50;  // until a child is a fresh point

class Evolution final : public OneByOne {
 public:
  using OneByOne::OneByOne;

  void tell(const Observation& observation) override {
    proposals_.add(observation.point);
    if (!observation.time) return;
    const auto faster = [](const Observation& a, const Observation& b) { return *a.time < *b.time; };
    population_.insert(std::upper_bound(population_.begin(), population_.end(), observation, faster),
                       observation);
    if (population_.size() > population_size) population_.pop_back();
  }

 private:
  std::optional<Point> next() override {
    if (population_.size() < population_size) return proposals_.random_fresh();
    for (int i = 0; i < births_tried; ++i) {
      const Point child = breed(proposals_.space(), parent(), parent(), proposals_.random());
      if (proposals_.fresh(child)) return child;
    }
    return proposals_.random_fresh();
  }

  // The fastest of some at random: the population is sorted.
  const Point& parent() {
    std::size_t best = population_.size();
    for (int i = 0; i < tournament; ++i)
      best = std::min(best, draw_below(proposals_.random(), population_.size()));
    return population_[best].point;
  }

  std::vector<Observation> population_;  // fastest first
};

}  // namespace

std::unique_ptr<Strategy> make_evolution(const SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<Evolution>(space, options);
}

}  // namespace warptune::tuner
