// From a manifest's text to a TemplateSpec without source. Private to the catalog.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <warptune/spec/template_spec.hpp>

#include "kernel_templates/spec/manifest_tree.hpp"

namespace warptune::spec {

struct Manifest {
  TemplateSpec spec;        // analysed; source, headers, paths and hash still empty
  std::string source_name;  // as written, relative to the manifest
  Location source_where;
  std::vector<std::string> includes;  // as written, relative to the manifest
  Location includes_where;
};

// `origin` names the text in messages. Error bad_input: "origin:line:column: message".
Manifest read_manifest(std::string_view text, const std::string& origin);

// Sections that name configs. Precondition: the tunables are read.
void read_default(const ManifestNode& root, TemplateSpec& spec);
void read_variants(const ManifestNode& root, TemplateSpec& spec);

// Sections that describe buffers, launches, checks and cost; they append to `spec`.
void read_buffers(const ManifestNode& root, TemplateSpec& spec);
void read_steps(const ManifestNode& root, TemplateSpec& spec);
void read_check(const ManifestNode& root, TemplateSpec& spec);
void read_cost(const ManifestNode& root, TemplateSpec& spec);

}  // namespace warptune::spec
