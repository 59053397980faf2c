// Which stored configs are worth trying first. Pure functions but for reading; thread-safe with a store of one's own.
#pragma once

#include <cstddef>
#include <vector>

#include <warptune/db/store.hpp>

#include "tuner/search/template_space.hpp"

namespace warptune::tuner {

// How little one problem says about another: the sum over the free dims of how many times two lies between them, and
// 2 for each type, key dim or attribute that differs, 4 for another GPU model, 1 for another class, policy or
// template text. Precondition: the same kernel.
double problem_distance(const db::ProblemKey& a, const db::ProblemKey& b);

// Configs of `space` that did well on other problems of the same kernel, of any GPU, type and template text; each once, at
// most `count`: the nearest problem's winner for the widest alignment; where it is near, of what was nearly as fast there (3 %) always
// the one that differs most from those before it; where room is left, such winners of other problems, nearest first, and last those
// for narrower alignments. Two at most where none is near.
// Errors: database.
std::vector<Point> guesses_nearby(const db::Store& store, const db::ProblemKey& key,
                                  const TemplateSpace& space, std::size_t count);

// The default config with wider loads: configs of `space` that differ from it in one tunable and need pointers of a larger
// alignment, widest first, at most `count`. A default has to serve any pointer; what its author knows of the rest is worth a try.
std::vector<Point> wider_defaults(const TemplateSpace& space, std::size_t count);

}  // namespace warptune::tuner
