#include "tuner/measure/screen.hpp"

#include <algorithm>
#include <cmath>

namespace warptune::tuner {

std::vector<std::size_t> screen(std::span<const double> times_ns, double factor) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < times_ns.size(); ++i)
    if (std::isfinite(times_ns[i]) && times_ns[i] > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return times_ns[a] < times_ns[b]; });
  const auto first_slow = std::find_if(
      order.begin(), order.end(), [&](std::size_t i) { return times_ns[i] > factor * times_ns[order[0]]; });
  order.erase(first_slow, order.end());
  return order;
}

}  // namespace warptune::tuner
