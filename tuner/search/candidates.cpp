#include "tuner/search/candidates.hpp"

#include <algorithm>
#include <unordered_set>

#include "tuner/search/breed.hpp"
#include "tuner/search/draw.hpp"

namespace warptune::tuner {
namespace {

class Collection {
 public:
  explicit Collection(const Proposals& proposals) : proposals_(proposals) {}

  // `point` is of the space.
  void add(const Point& point) {
    if (!proposals_.known(point) && seen_.insert(point).second) points_.push_back(point);
  }
  std::vector<Point> take() { return std::move(points_); }

 private:
  const Proposals& proposals_;
  std::unordered_set<Point, PointHash> seen_;
  std::vector<Point> points_;
};

}  // namespace

std::vector<Point> candidates(Proposals& proposals, std::span<const Point> best,
                              const CandidateOptions& options) {
  const SearchSpace& space = proposals.space();
  std::mt19937_64& random = proposals.random();
  if (proposals.listed()) {
    const std::vector<Point>& fresh = proposals.listed_fresh();
    if (fresh.size() <= options.at_random) return fresh;
  }
  Collection collection(proposals);
  for (std::size_t i = 0; i < std::min(options.parents, best.size()); ++i)
    for (const Point& neighbour : space.neighbours(best[i], false)) collection.add(neighbour);
  if (!best.empty()) {
    const std::size_t parents = std::min(2 * options.parents, best.size());
    for (std::size_t i = 0; i < options.bred; ++i) {
      const Point child =
          breed(space, best[draw_below(random, parents)], best[draw_below(random, parents)], random);
      if (space.contains(child)) collection.add(child);
    }
  }
  if (!proposals.listed()) {
    for (const Point& point : proposals.pool(options.sampled)) collection.add(point);
    return collection.take();
  }
  for (std::size_t i = 0; i < options.at_random; ++i)
    if (const std::optional<Point> point = proposals.random_fresh()) collection.add(*point);
  return collection.take();
}

}  // namespace warptune::tuner
