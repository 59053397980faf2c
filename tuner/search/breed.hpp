// Variation of points, as evolutionary algorithms do it. One thread at a time per generator.
#pragma once

#include <random>

#include <warptune/tuner/search_space.hpp>

namespace warptune::tuner {

// Uniform crossover of two points, then one value changed, and with even chances another: to the next one or to any.
// May lie outside the space.
Point breed(const SearchSpace& space, const Point& mother, const Point& father, std::mt19937_64& random);

// Changes one value: with even chances by one step where the parameter is ordered, else to any other.
void mutate(const SearchSpace& space, Point& point, std::mt19937_64& random);

}  // namespace warptune::tuner
