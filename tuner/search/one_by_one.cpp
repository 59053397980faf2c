#include "tuner/search/one_by_one.hpp"

namespace warptune::tuner {

std::vector<Point> OneByOne::ask(std::size_t count) {
  std::vector<Point> batch;
  while (batch.size() < count) {
    std::optional<Point> point = next_guess();
    if (!point) point = next();
    if (!point) break;
    proposals_.add(*point);
    proposed(*point);
    batch.push_back(std::move(*point));
  }
  return batch;
}

std::optional<Point> OneByOne::next_guess() {
  while (!guesses_.empty()) {
    Point guess = std::move(guesses_.back());
    guesses_.pop_back();
    if (proposals_.fresh(guess)) return guess;
  }
  return std::nullopt;
}

}  // namespace warptune::tuner
