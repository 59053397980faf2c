// Random numbers that are the same with every standard library. One thread at a time per generator.
#pragma once

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace warptune::tuner {

// 0 <= result < bound; the remainder's bias is negligible for bounds that fit memory. Precondition: bound > 0.
inline std::size_t draw_below(std::mt19937_64& random, std::size_t bound) {
  return static_cast<std::size_t>(random() % bound);
}

// 0 <= result < 1.
inline double draw_unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

// Fisher-Yates.
template <typename T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[draw_below(random, i)]);
}

}  // namespace warptune::tuner
