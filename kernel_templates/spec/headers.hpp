// Finds the headers of a template's own that a source includes, so that editing one changes the template's
// hash. NVRTC lists none. Errs on the side of finding too many; reads files, so no wider use than loading.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::spec {

// A header as found: `id` tells files apart and is passed back as the includer of what it includes itself.
struct FoundHeader {
  std::string id;
  std::string content;
};

// `includer`: id of the including header, empty for the source. `quoted`: "x" rather than <x>.
using HeaderLookup = std::function<std::optional<FoundHeader>(const std::string& name,
                                                              const std::string& includer, bool quoted)>;

// Looks in the includer's folder for quoted names, then in `include_paths`.
HeaderLookup file_lookup(std::filesystem::path source_folder,
                         std::vector<std::filesystem::path> include_paths);

// Header texts by name as included, everything reached from `source` that `lookup` finds. Comments are not
// understood: an include inside one counts, a name behind `include` on any line counts, and where an
// include's name is a macro, every quoted or bracketed name in any file reached counts. Two headers included
// under one name share an entry, both contents joined.
std::map<std::string, std::string> own_headers(std::string_view source, const HeaderLookup& lookup);

}  // namespace warptune::spec
