#include "tuner/search/breed.hpp"

#include "tuner/search/draw.hpp"

namespace warptune::tuner {

void mutate(const SearchSpace& space, Point& point, std::mt19937_64& random) {
  if (space.cartesian_size() <= 1) return;
  std::size_t at = draw_below(random, point.size());
  while (space.parameters()[at].values.size() < 2) at = (at + 1) % point.size();
  const std::size_t count = space.parameters()[at].values.size();
  if (space.parameters()[at].ordered && draw_below(random, 2) == 0) {
    const bool up = point[at] == 0 || (point[at] + std::size_t{1} < count && draw_below(random, 2) == 0);
    point[at] = static_cast<std::uint16_t>(up ? point[at] + 1 : point[at] - 1);
    return;
  }
  const std::size_t other = draw_below(random, count - 1);
  point[at] = static_cast<std::uint16_t>(other < point[at] ? other : other + 1);
}

Point breed(const SearchSpace& space, const Point& mother, const Point& father, std::mt19937_64& random) {
  Point child = mother;
  for (std::size_t i = 0; i < child.size(); ++i)
    if (draw_below(random, 2) == 0) child[i] = father[i];
  mutate(space, child, random);
  if (draw_below(random, 2) == 0) mutate(space, child, random);
  return child;
}

}  // namespace warptune::tuner
