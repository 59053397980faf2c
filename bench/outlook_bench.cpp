// How honest the outlook is: searches of spaces recorded whole, what the model says afterwards is left to find, and what is left.
//   outlook_bench SEEDS SPACES...
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/replay/recordings.hpp"
#include "tuner/search/model_search.hpp"

namespace {

using namespace warptune::tuner;

constexpr const char* names[] = {"auto", "local", "evolution", "random"};
constexpr std::size_t looks[] = {15, 25, 50, 100, 200};  // trials after which it is asked

struct Case {
  std::string space;
  std::string_view strategy;
  std::size_t trials = 0;
  Outlook said;
  double left = 0;  // share of the best time that the optimum saves

  bool covered(double factor) const { return left <= std::min(1.0, factor * said.at_most) + 1e-12; }
};

// As `show --convergence` does it: a model of its own is told all outcomes.
Outlook outlook_after(const RecordedSpace& space, const std::vector<Observation>& told) {
  ModelSearch model(space, {});
  for (const Observation& each : told) model.tell(each);
  return model.outlook().value_or(Outlook{0, 0, 0, 0, 1, 0});
}

void search(const RecordedSpace& space, std::string_view name, std::uint64_t seed, std::vector<Case>& cases) {
  StrategyOptions options;
  options.seed = seed;
  const auto strategy = find_strategy(name).make(space, options);
  std::vector<Observation> told;
  double best_ms = 0;
  while (told.size() < *std::prev(std::end(looks))) {
    const std::vector<Point> points = strategy->ask(1);
    if (points.empty()) return;
    const RecordedSpace::Result& result = space.at(points.front());
    told.push_back({result.point, result.time_ms, 0});
    strategy->tell(told.back());
    if (result.time_ms && (best_ms == 0 || *result.time_ms < best_ms)) best_ms = *result.time_ms;
    if (best_ms > 0 && std::find(std::begin(looks), std::end(looks), told.size()) != std::end(looks))
      cases.push_back(
          {space.name(), name, told.size(), outlook_after(space, told), 1 - space.optimum_ms() / best_ms});
  }
}

struct Means {
  double left = 0, any = 0, at_most = 0, covered = 0, count = 0;

  void add(const Case& each, double factor) {
    left += each.left;
    any += each.said.any_gain;
    at_most += std::min(1.0, factor * each.said.at_most);
    covered += each.covered(factor) ? 1 : 0;
    ++count;
  }
};

void by_strategy(const std::vector<Case>& cases) {
  std::printf(
      "| strategy | trials | left | expected of all | at most | left was no more "
      "|\n|---|---|---|---|---|---|\n");
  for (const char* name : names) {
    for (const std::size_t trials : looks) {
      Means means;
      for (const Case& each : cases)
        if (each.strategy == name && each.trials == trials) means.add(each, 1);
      std::printf("| %s | %zu | %.3f | %.3f | %.3f | %.0f %% |\n", name, trials, means.left / means.count,
                  means.any / means.count, means.at_most / means.count, 100 * means.covered / means.count);
    }
  }
}

// What the rule must be multiplied by so that it holds in nine of ten cases of all other spaces.
double factor_without(const std::string& space, const std::vector<Case>& cases) {
  std::vector<double> needed;
  for (const Case& each : cases)
    if (each.space != space) needed.push_back(each.left / std::max(1e-9, each.said.at_most));
  const auto at = needed.begin() + static_cast<std::ptrdiff_t>(0.9 * static_cast<double>(needed.size()));
  std::nth_element(needed.begin(), at, needed.end());
  return *at;
}

void by_space(const std::vector<Case>& cases) {
  std::printf(
      "\n| space | left was no more | of `auto` | factor by the others alone | left was no more than by it "
      "|\n|---|---|---|---|---|\n");
  std::vector<std::string> seen;
  for (const Case& first : cases) {
    if (std::find(seen.begin(), seen.end(), first.space) != seen.end()) continue;
    seen.push_back(first.space);
    const double factor = factor_without(first.space, cases);
    Means all, default_one, unseen;
    for (const Case& each : cases) {
      if (each.space != first.space) continue;
      all.add(each, 1);
      unseen.add(each, factor);
      if (each.strategy == names[0]) default_one.add(each, 1);
    }
    std::printf("| %s | %.0f %% | %.0f %% | %.2f | %.0f %% |\n", first.space.c_str(),
                100 * all.covered / all.count, 100 * default_one.covered / default_one.count, factor,
                100 * unseen.covered / unseen.count);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: outlook_bench SEEDS SPACES...\n");
    return 2;
  }
  try {
    std::vector<Case> cases;
    for (int i = 2; i < argc; ++i)
      for (const auto& space : load_recorded_spaces(argv[i]))
        for (const char* name : names)
          for (std::uint64_t seed = 1; seed <= std::strtoull(argv[1], nullptr, 10); ++seed)
            search(*space, name, seed, cases);
    by_strategy(cases);
    by_space(cases);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
