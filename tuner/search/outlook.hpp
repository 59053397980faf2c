// What may still be found in a space, by a model's predictions and by what was found lately. Pure functions; thread-safe.
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
  double at_most = 0;     // gain_at_most(); 0 where all is known
  std::size_t configs =
      0;  // unknown ones that were looked at: all of them, or a sample where they are too many
};

// Predicted logarithm of a config's time, and the probability that it works.
struct Promise {
  double mean = 0, deviation = 1, works = 1;
};

// `best`: logarithm of the best known time, on the same scale; `unit`: what 1 of that scale is in natural logarithms.
// `any_*` take the predictions as independent of each other, though those of neighbours err together. Precondition: deviations > 0.
// Leaves `at_most` alone.
Outlook outlook_of(std::span<const Promise> unknown, double best, double unit);

// What the fastest unknown config saves at most, in nine of ten searches: a share of the best known time. `any_gain`: see above;
// `late_gain`: the share that the second half of the trials saved. A rule of experience, see docs/search.md. Precondition:
// trials >= 1.
double gain_at_most(double any_gain, double late_gain, std::size_t trials);

}  // namespace warptune::tuner
