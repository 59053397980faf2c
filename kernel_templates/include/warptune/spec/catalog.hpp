// Where templates come from: built-in ones, a path, or WARPTUNE_TEMPLATE_PATH. Thread-safe.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/spec/template_spec.hpp>

namespace warptune::spec {

using TemplatePtr = std::shared_ptr<const TemplateSpec>;

// Parses a manifest and the source beside it. Error bad_input with file, line and column; not_found for
// missing files.
TemplatePtr load_template(const std::filesystem::path& manifest);

// The same from memory: `origin` names the text in messages.
TemplatePtr parse_template(const std::string& manifest_text, const std::string& source,
                           const std::string& origin);

// What a TemplateSpec is made of: enough to make it again elsewhere, in another process say.
struct TemplateTexts {
  std::string manifest_path, manifest_text;
  std::string source_path, source;
  std::map<std::string, std::string> headers;  // the template's own, by name as included
};
TemplateTexts texts_of(const TemplateSpec& spec);
// Reads no file. Precondition: the texts are those of a loaded template. Error bad_input as for load_template().
TemplatePtr restore_template(const TemplateTexts& texts);

// A built-in name ("dot"), a name found on WARPTUNE_TEMPLATE_PATH, or a path to a .toml file.
// Error not_found lists what exists.
TemplatePtr find_template(std::string_view name_or_path);

// Names of the built-in templates and of those on WARPTUNE_TEMPLATE_PATH, sorted.
std::vector<std::string> template_names();

}  // namespace warptune::spec
