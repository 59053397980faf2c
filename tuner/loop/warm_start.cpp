#include "tuner/loop/warm_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/tuner/outcome.hpp>

namespace warptune::tuner {
namespace {

// Entries that only one has, or that differ.
template <typename Map>
double differing(const Map& a, const Map& b) {
  double count = 0;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second != value) ++count;
  }
  for (const auto& [name, value] : b)
    if (!a.contains(name)) ++count;
  return count;
}

// What was nearly as fast as the fastest of a problem up to this distance may be faster here.
constexpr double near_enough = 4;
constexpr double nearly_as_fast = 1.03;  // times its time
// Where all problems are farther away, what won there says little: a few guesses, so that most trials are left for this one.
constexpr std::size_t guesses_from_afar = 2;

// The point of a stored config, where it is one of `space`.
std::optional<Point> point_of(const TemplateSpace& space, const db::NamedValues& stored) {
  try {
    const Point point = space.point(runtime::read_config(space.configs().instance().spec(), stored));
    if (space.contains(point)) return point;
  } catch (const Error&) {
    // A config of another version of the template: it says nothing here.
  }
  return std::nullopt;
}

// Of the configs of `space` that were nearly as fast as the fastest of them at `problem`, the fastest, and then always the one that
// differs most from those before it, the faster one of equals: which of them is best here depends on what changed, and their likes
// are told together.
std::vector<db::NamedValues> varied_among_fastest(const db::Store& store, const db::ProblemKey& problem,
                                                  const TemplateSpace& space, std::size_t count) {
  std::vector<db::StoredOutcome> outcomes = store.outcomes(problem);
  std::erase_if(outcomes, [&](const db::StoredOutcome& each) {
    return each.outcome.status != to_string(OutcomeStatus::ok) || !each.outcome.time_ns ||
           !point_of(space, each.outcome.config);
  });
  std::stable_sort(outcomes.begin(), outcomes.end(),
                   [](const auto& a, const auto& b) { return *a.outcome.time_ns < *b.outcome.time_ns; });
  std::erase_if(outcomes,
                [limit_ns = outcomes.empty() ? 0 : nearly_as_fast * *outcomes.front().outcome.time_ns](
                    const db::StoredOutcome& each) { return *each.outcome.time_ns > limit_ns; });
  // In how many entries each differs from the one among those taken that is most like it.
  std::vector<double> apart(outcomes.size(), std::numeric_limits<double>::infinity());
  std::vector<db::NamedValues> configs;
  while (configs.size() < std::min(count, outcomes.size())) {
    const auto next = static_cast<std::size_t>(std::max_element(apart.begin(), apart.end()) - apart.begin());
    configs.push_back(outcomes[next].outcome.config);
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      apart[i] = std::min(apart[i], differing(configs.back(), outcomes[i].outcome.config));
  }
  return configs;
}

}  // namespace

double problem_distance(const db::ProblemKey& a, const db::ProblemKey& b) {
  double distance = 2 * (differing(a.types, b.types) + differing(a.key_dims, b.key_dims) +
                         differing(a.attributes, b.attributes));
  distance += (a.device == b.device ? 0 : 4) + (a.numerics == b.numerics ? 0 : 1) +
              (a.policy == b.policy ? 0 : 1) + (a.template_hash == b.template_hash ? 0 : 1);
  for (const auto& [name, value] : a.free_dims) {
    const auto other = b.free_dims.find(name);
    if (other == b.free_dims.end())
      distance += 2;
    else if (value > 0 && other->second > 0)
      distance += std::abs(std::log2(static_cast<double>(value) / static_cast<double>(other->second)));
  }
  return distance;
}

std::vector<Point> guesses_nearby(const db::Store& store, const db::ProblemKey& key,
                                  const TemplateSpace& space, std::size_t count) {
  struct Neighbour {
    double distance = 0;
    db::ProblemKey problem;
    std::vector<db::NamedValues> winners;  // by alignment class
  };
  std::vector<Neighbour> neighbours;
  store.visit_winners(std::nullopt, key.kernel, [&](const db::StoredWinner& stored) {
    if (neighbours.empty() || neighbours.back().problem != stored.problem)
      neighbours.push_back({problem_distance(key, stored.problem), stored.problem, {}});
    neighbours.back().winners.push_back(stored.winner.config);
  });
  std::stable_sort(neighbours.begin(), neighbours.end(),
                   [](const auto& a, const auto& b) { return a.distance < b.distance; });

  std::vector<Point> points;
  const auto add = [&](const db::NamedValues& stored, std::size_t most) {
    if (points.size() >= most) return;
    const std::optional<Point> point = point_of(space, stored);
    if (point && std::find(points.begin(), points.end(), *point) == points.end()) points.push_back(*point);
  };
  if (neighbours.empty()) return points;
  if (neighbours.front().distance > near_enough) count = std::min(count, guesses_from_afar);
  add(neighbours.front().winners.back(), count);
  if (neighbours.front().distance <= near_enough)
    for (const db::NamedValues& config :
         varied_among_fastest(store, neighbours.front().problem, space, count))
      add(config, count);
  for (const Neighbour& each : neighbours) add(each.winners.back(), count);
  for (const Neighbour& each : neighbours)
    for (const db::NamedValues& config : each.winners) add(config, count);
  return points;
}

std::vector<Point> wider_defaults(const TemplateSpace& space, std::size_t count) {
  const spec::Instance& instance = space.configs().instance();
  const auto width = [&](const Point& point) { return instance.alignment_class(space.config(point)); };
  const Point start = space.point(instance.spec().default_config);
  std::vector<Point> wider = space.neighbours(start, false);
  std::erase_if(wider, [&](const Point& point) { return width(point) <= width(start); });
  std::stable_sort(wider.begin(), wider.end(),
                   [&](const Point& a, const Point& b) { return width(a) > width(b); });
  wider.resize(std::min(count, wider.size()));
  return wider;
}

}  // namespace warptune::tuner
