// Which stored winners are worth trying first. Pure functions but for reading; thread-safe with a store of one's own.
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

// Winners of the same kernel, nearest problem first, of any GPU, type and template text, as far as they are configs
// of `space`; each once, at most `count`. Errors: database.
std::vector<Point> winners_nearby(const db::Store& store, const db::ProblemKey& key,
                                  const TemplateSpace& space, std::size_t count);

}  // namespace warptune::tuner
