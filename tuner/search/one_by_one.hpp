// The common part of strategies that think of one point at a time. One thread at a time.
#pragma once

#include <optional>
#include <vector>

#include <warptune/tuner/strategy.hpp>

#include "tuner/search/proposals.hpp"

namespace warptune::tuner {

// Proposes the guesses first, then what next() says.
class OneByOne : public Strategy {
 public:
  OneByOne(const SearchSpace& space, const StrategyOptions& options)
      : proposals_(space, options.seed), guesses_(options.guesses.rbegin(), options.guesses.rend()) {}

  std::vector<Point> ask(std::size_t count) final;

 protected:
  // A fresh point; nothing: the space is exhausted.
  virtual std::optional<Point> next() = 0;
  // Called for each point that ask() returns, guesses too, when it has become known.
  virtual void proposed(const Point&) {}

  Proposals proposals_;

 private:
  std::optional<Point> next_guess();

  std::vector<Point> guesses_;  // taken from the end
};

}  // namespace warptune::tuner
