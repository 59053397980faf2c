// The explicit list of strategies: a new one is a file and a line here.
#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/tuner/strategy.hpp>

#include "tuner/search/exhaustive.hpp"
#include "tuner/search/random.hpp"

namespace warptune::tuner {

const std::vector<StrategyInfo>& strategies() {
  static const std::vector<StrategyInfo> list = {
      {"exhaustive", "every valid config, in the order of the manifest's values", make_exhaustive},
      {"random", "valid configs in random order, none twice", make_random},
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
