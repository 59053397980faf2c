// kernel.NAME in expressions. Private to Instance.
#pragma once

#include <string>

#include <warptune/spec/instance.hpp>

namespace warptune::spec {

// Name expression of a step. Error EvaluationError when a hole's let cannot be evaluated.
std::string entry_text(const StepSpec& step, const TemplateSpec& spec, const Scope& scope);

// The scope with what is known of a step's compiled kernel, and the lets that wait for it; unchanged when
// nothing is known or no expression of the template asks. Precondition: the config is bound.
Scope with_kernel(const Instance& instance, const StepSpec& step, const Scope& scope,
                  const TraitsLookup& traits);

}  // namespace warptune::spec
