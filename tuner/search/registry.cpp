// The explicit list of strategies: a new one is a file and a line here.
#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/tuner/strategy.hpp>

#include "tuner/search/evolution.hpp"
#include "tuner/search/exhaustive.hpp"
#include "tuner/search/local_search.hpp"
#include "tuner/search/model_search.hpp"
#include "tuner/search/random.hpp"

namespace warptune::tuner {

const std::vector<StrategyInfo>& strategies() {
  static const std::vector<StrategyInfo> list = {
      {"auto", "two models in turn, near the best points and everywhere: the default", true, make_auto},
      {"model", "a Gaussian process over the space, and the largest expected improvement", true, make_model},
      {"local", "descents to the first better neighbour, started again and again", true, make_local_search},
      {"evolution", "a genetic algorithm that replaces one config at a time", true, make_evolution},
      {"random", "valid configs in random order, none twice", false, make_random},
      {"exhaustive", "every valid config, in the order of the manifest's values", false, make_exhaustive},
  };
  return list;
}

const StrategyInfo& find_strategy(std::string_view name) {
  std::vector<std::string> names;
  for (const StrategyInfo& info : strategies()) {
    if (info.name == name) return info;
    names.emplace_back(info.name);
  }
  throw Error(ErrorKind::not_found, "unknown strategy '" + std::string(name) + "'", name_hint(name, names));
}

}  // namespace warptune::tuner
