// Two candidates timed alternately while the card is watched. One thread at a time.
#pragma once

#include <functional>

#include <warptune/tuner/evaluator.hpp>

#include "tuner/measure/conditions_log.hpp"
#include "tuner/measure/race.hpp"

namespace warptune::tuner {

struct WatchedPair {
  PairResult pair;
  bool undisturbed = true;
};

// As compare_pair(). What the card went through meanwhile is a round of `log`. Errors: those of the evaluator.
WatchedPair compare_watched(Evaluator& evaluator, ConditionsLog& log, const std::function<double()>& sample_a,
                            const std::function<double()>& sample_b);

}  // namespace warptune::tuner
