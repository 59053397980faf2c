#include "tuner/search/exhaustive.hpp"

#include <deque>

#include "tuner/search/known.hpp"

namespace warptune::tuner {
namespace {

class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(const spec::Space& space) : space_(space) {}

  std::vector<spec::Config> ask(std::size_t count) override {
    std::vector<spec::Config> batch;
    while (batch.size() < count) {
      if (ahead_.empty() && !read_ahead()) break;
      spec::Config config = std::move(ahead_.front());
      ahead_.pop_front();
      if (known_.add(config)) batch.push_back(std::move(config));
    }
    return batch;
  }

  void tell(const Outcome& outcome) override { known_.add(outcome.config); }

 private:
  // The space can only be walked from its start. Reading twice as many each time keeps the repeated part of
  // all walks together below one walk more, and a small budget on a huge space short.
  bool read_ahead() {
    std::size_t to_skip = seen_;
    space_.for_each([&](const spec::Config& config) {
      if (to_skip > 0) {
        --to_skip;
        return true;
      }
      ahead_.push_back(config);
      return ahead_.size() < chunk_;
    });
    seen_ += ahead_.size();
    chunk_ *= 2;
    return !ahead_.empty();
  }

  const spec::Space& space_;
  KnownConfigs known_;
  std::deque<spec::Config> ahead_;
  std::size_t seen_ = 0;
  std::size_t chunk_ = 1024;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const spec::Space& space, std::uint64_t) {
  return std::make_unique<Exhaustive>(space);
}

}  // namespace warptune::tuner
