#include "tuner/report/nearby.hpp"

#include <algorithm>

namespace warptune::tuner {

std::vector<Nearby> nearby_of(const std::vector<db::NeighbourTime>& times, const db::WinnerRecord& winner) {
  std::vector<Nearby> list;
  for (const db::NeighbourTime& time : times) {
    auto place =
        std::find_if(list.begin(), list.end(), [&](const Nearby& each) { return each.dims == time.dims; });
    if (place == list.end()) {
      list.push_back({time.dims, 0, time.config, time.time_ns, {}, {}});
      place = list.end() - 1;
    }
    ++place->configs;
    if (time.time_ns < place->fastest_ns) {
      place->fastest = time.config;
      place->fastest_ns = time.time_ns;
    }
    if (time.config == winner.config) place->winner_ns = time.time_ns;
    if (time.config == winner.default_config) place->default_ns = time.time_ns;
  }
  return list;
}

}  // namespace warptune::tuner
