// What may still be found in a space, by a model's predictions. Pure function; thread-safe.
#pragma once

#include <cstddef>
#include <span>

namespace warptune::tuner {

// Shares of the best time known; probabilities that the model gives.
struct Outlook {
  double chance = 0;      // that the most promising unknown config is faster than the best known one
  double gain = 0;        // expected of it
  double any_chance = 0;  // that any of the unknown configs is faster
  double any_gain = 0;    // expected of trying them all
  std::size_t configs =
      0;  // unknown ones that were looked at: all of them, or a sample where they are too many
};

// Predicted logarithm of a config's time, and the probability that it works.
struct Promise {
  double mean = 0, deviation = 1, works = 1;
};

// `best`: logarithm of the best known time, on the same scale; `unit`: what 1 of that scale is in natural logarithms.
// `any_*` take the predictions as independent of each other, though those of neighbours err together. Precondition: deviations > 0.
Outlook outlook_of(std::span<const Promise> unknown, double best, double unit);

}  // namespace warptune::tuner
