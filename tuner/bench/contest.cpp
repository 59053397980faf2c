#include "tuner/bench/contest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tuner/measure/statistics.hpp"

namespace warptune::tuner {

std::vector<std::vector<double>> contest(std::span<const Block> contestants, int rounds, std::uint64_t seed,
                                         const std::function<bool()>& stop) {
  std::vector<std::vector<double>> samples(contestants.size());
  std::vector<std::size_t> order(contestants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<double> times_ns(contestants.size());
    for (const std::size_t i : order) {
      if (stop && stop()) return samples;
      times_ns[i] = contestants[i]();
    }
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i].push_back(times_ns[i]);
  }
  return samples;
}

double paired_speedup(std::span<const double> own_ns, std::span<const double> other_ns) {
  std::vector<double> logs(own_ns.size());
  std::transform(own_ns.begin(), own_ns.end(), other_ns.begin(), logs.begin(),
                 [](double own, double other) { return std::log(other / own); });
  return std::exp(median(logs));
}

}  // namespace warptune::tuner
