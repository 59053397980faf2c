// The shipped templates, embedded when the library is built (EmbedTemplates.cmake writes the table).
// Immutable, thread-safe.
#pragma once

#include <span>
#include <string_view>

namespace warptune::spec {

struct BuiltinFile {
  std::string_view folder;  // "dot": the template's name
  std::string_view name;    // "dot.toml"
  std::string_view content;
};

std::span<const BuiltinFile> builtin_files();

}  // namespace warptune::spec
