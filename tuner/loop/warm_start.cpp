#include "tuner/loop/warm_start.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>

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

std::vector<Point> winners_nearby(const db::Store& store, const db::ProblemKey& key,
                                  const TemplateSpace& space, std::size_t count) {
  std::vector<std::pair<double, db::NamedValues>> found;
  store.visit_winners(std::nullopt, key.kernel, [&](const db::StoredWinner& stored) {
    found.emplace_back(problem_distance(key, stored.problem), stored.winner.config);
  });
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Point> points;
  for (const auto& [distance, stored] : found) {
    if (points.size() == count) break;
    try {
      const Point point = space.point(runtime::read_config(space.configs().instance().spec(), stored));
      if (space.contains(point) && std::find(points.begin(), points.end(), point) == points.end())
        points.push_back(point);
    } catch (const Error&) {
      // A config of another version of the template: it says nothing here.
    }
  }
  return points;
}

}  // namespace warptune::tuner
