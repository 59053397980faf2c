// How honest the outlook is: after some trials of the default strategy on spaces recorded whole, what the model says is left to
// find beside what is left.  outlook_bench SPACES [SEEDS] [TRIALS...]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "tuner/replay/recordings.hpp"
#include "tuner/search/model_search.hpp"

namespace {

using namespace warptune::tuner;

struct Case {
  Outlook said;
  double left = 0;  // share of the best time that the optimum saves
};

Case search(const RecordedSpace& space, std::uint64_t seed, std::size_t trials) {
  StrategyOptions options;
  options.seed = seed;
  ModelSearch model(space, options);
  double best_ms = 0;
  for (std::size_t done = 0; done < trials; ++done) {
    const std::vector<Point> points = model.ask(1);
    if (points.empty()) break;
    const RecordedSpace::Result& result = space.at(points.front());
    model.tell({result.point, result.time_ms, 0});
    if (result.time_ms && (best_ms == 0 || *result.time_ms < best_ms)) best_ms = *result.time_ms;
  }
  return {model.outlook().value_or(Outlook{}), 1 - space.optimum_ms() / best_ms};
}

void compare(const std::vector<std::unique_ptr<RecordedSpace>>& spaces, std::uint64_t seeds,
             std::size_t trials) {
  for (const auto& space : spaces) {
    double said = 0, left = 0, enough = 0, next = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Case each = search(*space, seed, trials);
      said += each.said.any_gain;
      next += each.said.gain;
      left += each.left;
      enough += each.left <= each.said.any_gain ? 1 : 0;
    }
    const auto count = static_cast<double>(seeds);
    std::printf("| %s | %zu | %.4f | %.4f | %.4f | %.0f %% |\n", space->name().c_str(), trials, left / count,
                said / count, next / count, 100 * enough / count);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: outlook_bench SPACES [SEEDS] [TRIALS...]\n");
    return 2;
  }
  try {
    const auto spaces = load_recorded_spaces(argv[1]);
    const auto seeds = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 20);
    std::vector<std::size_t> trials;
    for (int i = 3; i < argc; ++i) trials.push_back(static_cast<std::size_t>(std::atoll(argv[i])));
    if (trials.empty()) trials = {25, 50, 100, 200};
    std::printf(
        "| space | trials | left | said, any | said, next | left is at most what was said "
        "|\n|---|---|---|---|---|---|\n");
    for (const std::size_t each : trials) compare(spaces, seeds, each);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
