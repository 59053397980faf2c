#include "tuner/search/random.hpp"

#include "tuner/search/one_by_one.hpp"

namespace warptune::tuner {
namespace {

class Random final : public OneByOne {
 public:
  using OneByOne::OneByOne;
  void tell(const Observation& observation) override { proposals_.add(observation.point); }

 private:
  std::optional<Point> next() override { return proposals_.random_fresh(); }
};

}  // namespace

std::unique_ptr<Strategy> make_random(const SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<Random>(space, options);
}

}  // namespace warptune::tuner
