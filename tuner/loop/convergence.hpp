// How the search of a problem came down, and what is left to find. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <warptune/db/records.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/spec/instance.hpp>

#include "tuner/search/model_search.hpp"

namespace warptune::tuner {

struct Improvement {
  std::int64_t trial = 0;  // from 1
  std::int64_t at_unix_ms = 0;
  double time_ns = 0;
  db::NamedValues config;
};

struct Convergence {
  std::int64_t trials = 0, failed = 0;
  std::vector<Improvement> improvements;  // each faster than all before
};

// `outcomes`: as Store::outcomes gives them, in the order in which they were tried.
Convergence convergence(const std::vector<db::StoredOutcome>& outcomes);

// What a model of all outcomes expects of the configs that were not tried; see ModelSearch::outlook. Outcomes that
// are not of the instance's space are passed over.
std::optional<Outlook> outlook(const spec::Instance& instance, std::span<const db::OutcomeRecord> outcomes);
// The same for a problem as it was stored; nothing also where `spec` is null or cannot have the problem any more.
std::optional<Outlook> outlook(const spec::TemplatePtr& spec, const db::ProblemKey& key,
                               std::span<const db::OutcomeRecord> outcomes);

}  // namespace warptune::tuner
