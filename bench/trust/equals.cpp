// One kernel under 32 names: whoever is called faster is called so wrongly.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "bench/trust/trust.hpp"
#include "tuner/measure/race.hpp"
#include "tuner/measure/statistics.hpp"

namespace warptune::trust {

void equals(Card& card, const std::vector<std::string>& arguments) {
  const int races = arguments.empty() ? 300 : std::atoi(arguments.front().c_str());
  const int first_seed = arguments.size() < 2 ? 1 : std::atoi(arguments[1].c_str());
  int called_faster = 0, ties = 0, certified = 0, done = 0;
  double gpu_s = 0, shortest_us = 1e9, longest_us = 0;
  for (const std::int64_t n : {1 << 20, 1 << 22, 1 << 25}) {
    const auto evaluator = card.open(alike(), problem_of("float", n));
    const std::vector<spec::Config> names = all_configs(evaluator->instance());
    evaluator->prepare(names, [](std::size_t, std::size_t) {});
    const double before_s = evaluator->gpu_seconds();
    for (int i = 0; i < races / 3; ++i) {
      tuner::RaceOptions options;
      options.seed = static_cast<std::uint64_t>(first_seed + i);
      const tuner::RaceResult result = tuner::race(
          names.size(), [&](std::size_t name) { return evaluator->time_block(names[name]); },
          [](std::size_t a, std::size_t b) { return a < b; }, options);
      // The early cut drops the far, and says nothing of the near; what left later was called slower.
      const bool slower =
          std::any_of(result.samples_ns.begin(), result.samples_ns.end(), [&](const auto& blocks) {
            return blocks.size() > static_cast<std::size_t>(options.early_rounds) &&
                   blocks.size() < static_cast<std::size_t>(result.rounds);
          });
      called_faster += slower || result.survivors.size() < names.size();
      ties += result.certified && result.survivors.size() == names.size();
      certified += result.certified;
      ++done;
      shortest_us = std::min(shortest_us, tuner::median(result.samples_ns.front()) / 1e3);
      longest_us = std::max(longest_us, tuner::median(result.samples_ns.front()) / 1e3);
    }
    gpu_s += evaluator->gpu_seconds() - before_s;
  }
  const std::string what =
      fmt::format("{} races of 32 equals, seeds from {}, {:.1f} to {:.0f} us, {:.1f} s of GPU time", done,
                  first_seed, shortest_us, longest_us, gpu_s);
  row("A/A, called faster", what, share_text(called_faster, done), "1 %", called_faster <= done / 100);
  row("A/A, tie", what, share_text(ties, done), "95 %", ties * 100 >= 95 * done);
  row("A/A, certified", what, share_text(certified, done), "-", true);
}

}  // namespace warptune::trust
