// The unknown points that a model is asked about. One thread at a time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tuner/search/proposals.hpp"

namespace warptune::tuner {

struct CandidateOptions {
  std::size_t at_random = 3000;  // of a listed space
  std::size_t sampled = 600;     // of a space too large to list
  std::size_t bred = 400;        // from the best points: two crossed, one or two values changed
  std::size_t parents = 10;      // whose neighbours in one parameter are all candidates
};

// Fresh points, each once: all where the space is small, else some at random and those near the best ones.
// `best`: best first. Empty: the space is exhausted.
std::vector<Point> candidates(Proposals& proposals, std::span<const Point> best,
                              const CandidateOptions& options);

}  // namespace warptune::tuner
