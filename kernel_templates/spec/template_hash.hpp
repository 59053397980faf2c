// The hash that tells whether a stored config still means what it meant. Rule in docs/templates.md, "The
// template's hash".
#pragma once

#include <string>

#include <warptune/spec/template_spec.hpp>

namespace warptune::spec {

// Over source, own headers, options and what the manifest says about names, lets, buffers and steps; not over
// value lists, default, constraints, fills, check, cost, summary, comments or paths.
std::string template_hash(const TemplateSpec& spec);

}  // namespace warptune::spec
