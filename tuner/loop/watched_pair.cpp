#include "tuner/loop/watched_pair.hpp"

namespace warptune::tuner {

WatchedPair compare_watched(Evaluator& evaluator, ConditionsLog& log, const std::function<double()>& sample_a,
                            const std::function<double()>& sample_b) {
  (void)evaluator.conditions();  // what came before is no matter of it
  WatchedPair watched{compare_pair(sample_a, sample_b), true};
  watched.undisturbed = log.add_round(evaluator.conditions());
  return watched;
}

}  // namespace warptune::tuner
