// The hash that tells whether a stored config still means what it meant. Rule in docs/templates.md, "The
// template's hash".
#pragma once

#include <map>
#include <string>

#include <warptune/spec/template_spec.hpp>

namespace warptune::spec {

// Over source, own headers, options and what the manifest says about names, lets, buffers and steps; not over
// value lists, default, constraints, fills, check, cost, summary, comments or paths.
std::string template_hash(const TemplateSpec& spec);

// What the hash was made of, each hashed alone: source and own headers by file name, and "manifest: options",
// "manifest: names", "manifest: let", "manifest: buffer", "manifest: step".
std::map<std::string, std::string> template_hash_parts(const TemplateSpec& spec);

}  // namespace warptune::spec
