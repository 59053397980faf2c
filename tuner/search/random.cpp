#include "tuner/search/random.hpp"

#include "tuner/search/proposals.hpp"

namespace warptune::tuner {
namespace {

class Random final : public Strategy {
 public:
  Random(const SearchSpace& space, std::uint64_t seed) : proposals_(space, seed) {}

  std::vector<Point> ask(std::size_t count) override {
    std::vector<Point> batch;
    while (batch.size() < count) {
      std::optional<Point> point = proposals_.random_fresh();
      if (!point) break;
      proposals_.add(*point);
      batch.push_back(std::move(*point));
    }
    return batch;
  }

  void tell(const Observation& observation) override { proposals_.add(observation.point); }

 private:
  Proposals proposals_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<Random>(space, options.seed);
}

}  // namespace warptune::tuner
