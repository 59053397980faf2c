#include "tuner/search/random.hpp"

#include <algorithm>
#include <random>

#include "tuner/search/known.hpp"

namespace warptune::tuner {
namespace {

// Spaces up to this many points, before constraints, are listed and shuffled: uniform whatever the
// constraints, and cheap.
constexpr std::int64_t listed_size = std::int64_t{1} << 16;
// Draws in a row that may bring nothing new before the rest is taken in lexical order: at that point nearly
// all of the space is known, or sampling cannot find its few valid configs.
constexpr int fruitless_draws = 256;

class Random final : public Strategy {
 public:
  Random(const spec::Space& space, std::uint64_t seed) : space_(space), random_(seed) {
    if (space.cartesian_size() > listed_size) return;
    shuffled_ = space.list();
    std::shuffle(shuffled_.begin(), shuffled_.end(), random_);
    listed_ = true;
  }

  std::vector<spec::Config> ask(std::size_t count) override {
    std::vector<spec::Config> batch;
    if (listed_) {
      take_shuffled(count, batch);
    } else {
      draw(count, batch);
      if (batch.size() < count) take_lexical(count, batch);
    }
    return batch;
  }

  void tell(const Outcome& outcome) override { known_.add(outcome.config); }

 private:
  void take_shuffled(std::size_t count, std::vector<spec::Config>& batch) {
    while (batch.size() < count && !shuffled_.empty()) {
      spec::Config config = std::move(shuffled_.back());
      shuffled_.pop_back();
      if (known_.add(config)) batch.push_back(std::move(config));
    }
  }

  void draw(std::size_t count, std::vector<spec::Config>& batch) {
    for (int fruitless = 0; batch.size() < count && fruitless < fruitless_draws;) {
      std::optional<spec::Config> config = space_.sample(random_);
      if (config && known_.add(*config)) {
        batch.push_back(std::move(*config));
        fruitless = 0;
      } else {
        ++fruitless;
      }
    }
  }

  void take_lexical(std::size_t count, std::vector<spec::Config>& batch) {
    space_.for_each([&](const spec::Config& config) {
      if (known_.add(config)) batch.push_back(config);
      return batch.size() < count;
    });
  }

  const spec::Space& space_;
  std::mt19937_64 random_;
  KnownConfigs known_;
  std::vector<spec::Config> shuffled_;
  bool listed_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const spec::Space& space, std::uint64_t seed) {
  return std::make_unique<Random>(space, seed);
}

}  // namespace warptune::tuner
