// The tables of `show --convergence`. One thread at a time.
#pragma once

#include <vector>

#include <warptune/db/store.hpp>
#include <warptune/spec/catalog.hpp>

#include "tuner/report/document.hpp"

namespace warptune::tuner {

// For each problem the trials that brought a faster config, and what a model expects of those not tried. Problems
// that `spec` cannot have today get no expectation. Errors: database.
void add_convergence(const db::Store& store, const spec::TemplatePtr& spec,
                     const std::vector<db::ProblemKey>& problems, Document& document);

}  // namespace warptune::tuner
