// Walking through configs: tunables are bound one by one, lets and checks are evaluated as soon as they can
// be. Private to Instance and Space. All functions are thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <warptune/spec/instance.hpp>

#include "kernel_templates/spec/analysis.hpp"

namespace warptune::spec {

struct Instance::Fixed {
  Scope scope;  // types, attributes, dims, device, and lets that need nothing else

  Fixed(const TemplateSpec& spec, const Problem& problem, const DeviceTraits& device);
};

// Whether a check passes; false also where it cannot be evaluated. Everything that it needs must be bound in
// `scope`.
bool passes(const Instance& instance, const Check& check, const Scope& scope);
// Whether the config passes all of them. Error usage unless there is one value per tunable.
bool meets_checks(const Instance& instance, const Config& config);
// Why a check that does not pass does not.
Exclusion explain(const Instance& instance, const Check& check, const Scope& scope);
// What a check is about, for counting: no particular config.
Exclusion describe(const Instance& instance, const Check& check);

// Binds the level's tunable and the lets it completes. Index of the first check that fails, `no_check` if
// none does.
inline constexpr std::size_t no_check = static_cast<std::size_t>(-1);
std::size_t bind_level(const Instance& instance, const Level& level, Value value, Scope& scope);

// Visits all combinations of the levels' tunables that pass the levels' checks, in lexical order. `visit`
// returns false to stop; `reject` hears which check (index into Analysis::checks) cut how many combinations
// off (saturating). Either may be empty.
void walk(const Instance& instance, const std::vector<Level>& levels,
          const std::function<bool(const Scope&)>& visit,
          const std::function<void(std::size_t check, std::int64_t combinations)>& reject);

// The scope with a config's tunables and every let that can be evaluated. Error usage unless there is one
// value per tunable.
Scope bind(const TemplateSpec& spec, const Scope& fixed, const Config& config);
// Gives every let without a value one, where it can be evaluated.
void bind_lets(const TemplateSpec& spec, Scope& scope);
// Like Expression::evaluate_*, but where a let could not be evaluated, the error is that of the let.
std::int64_t integer_of(const TemplateSpec& spec, const Expression& expression, const Scope& scope);
bool boolean_of(const TemplateSpec& spec, const Expression& expression, const Scope& scope);

// a * b, at most 2^63-1. Preconditions: both >= 0.
std::int64_t saturating_product(std::int64_t a, std::int64_t b);

}  // namespace warptune::spec
