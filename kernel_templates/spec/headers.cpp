#include "kernel_templates/spec/headers.hpp"

#include <set>
#include <system_error>
#include <utility>

#include <warptune/base/file.hpp>

namespace warptune::spec {
namespace {

struct Mention {
  std::string name;
  bool quoted;
};

// Backslash-newline joins lines before anything else is looked at, even inside a name.
std::string without_splices(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      const std::size_t end = i + 1 < text.size() && text[i + 1] == '\r' ? i + 2 : i + 1;
      if (end < text.size() && text[end] == '\n') {
        i = end;
        continue;
      }
    }
    result += text[i];
  }
  return result;
}

// A quoted or bracketed name at `at`, which it moves behind it.
std::optional<Mention> take_name(std::string_view text, std::size_t& at) {
  const bool quoted = text[at] == '"';
  const std::size_t end = text.find_first_of(quoted ? "\"\n" : ">\n", at + 1);
  if (end == std::string_view::npos || text[end] == '\n') return std::nullopt;
  Mention mention{std::string(text.substr(at + 1, end - at - 1)), quoted};
  at = end + 1;
  return mention.name.empty() || mention.name.size() > 255 ? std::nullopt : std::optional(std::move(mention));
}

std::size_t skip_blanks_and_comments(std::string_view text, std::size_t at) {
  for (;;) {
    at = std::min(text.find_first_not_of(" \t\v\f", at), text.size());
    if (text.substr(at, 2) != "/*") return at;
    const std::size_t end = text.find("*/", at + 2);
    at = end == std::string_view::npos ? text.size() : end + 2;
  }
}

struct Mentions {
  std::vector<Mention> included;  // names behind the word "include"
  bool has_macro = false;         // some #include names a macro
};

bool is_name_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

Mentions find_includes(std::string_view text) {
  constexpr std::string_view word = "include";
  Mentions result;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at)) {
    const std::size_t line = text.rfind('\n', at) == std::string_view::npos ? 0 : text.rfind('\n', at) + 1;
    const std::string_view before = text.substr(line, at - line);
    at += word.size();
    if (text.substr(at, 5) == "_next") at += 5;
    std::size_t name_at = skip_blanks_and_comments(text, at);
    if (name_at == text.size()) break;
    if (text[name_at] == '"' || text[name_at] == '<') {
      if (auto mention = take_name(text, name_at)) result.included.push_back(std::move(*mention));
    } else if (is_name_part(text[name_at])) {
      const bool directive =
          before.find('#') != std::string_view::npos || before.find("%:") != std::string_view::npos;
      result.has_macro = result.has_macro || directive;
    }
  }
  return result;
}

std::vector<Mention> find_all_names(std::string_view text) {
  std::vector<Mention> mentions;
  for (std::size_t at = text.find_first_of("\"<"); at != std::string_view::npos;
       at = text.find_first_of("\"<", at)) {
    std::size_t end = at;
    if (auto mention = take_name(text, end)) mentions.push_back(std::move(*mention));
    ++at;  // overlapping names count too: a lone quote must not hide what follows
  }
  return mentions;
}

class Collector {
 public:
  explicit Collector(const HeaderLookup& lookup) : lookup_(lookup) {}

  void add_file(const std::string& id, std::string_view content) {
    if (!seen_.insert(id).second) return;
    files_.emplace_back(id, without_splices(content));
  }

  std::map<std::string, std::string> run() {
    // files_ grows while it is walked; a macro found late makes the earlier files count in full as well.
    bool everything = false;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const auto [id, text] = files_[i];
      const Mentions mentions = find_includes(text);
      for (const Mention& mention : mentions.included) follow(mention, id);
      if (mentions.has_macro && !everything) {
        everything = true;
        for (std::size_t j = 0; j < i; ++j) follow_all(j);
      }
      if (everything) follow_all(i);
    }
    return std::move(headers_);
  }

 private:
  void follow_all(std::size_t index) {
    const auto [id, text] = files_[index];
    for (const Mention& mention : find_all_names(text)) follow(mention, id);
  }

  void follow(const Mention& mention, const std::string& includer) {
    if (!asked_.insert({mention.name, includer, mention.quoted}).second) return;
    const auto found = lookup_(mention.name, includer, mention.quoted);
    if (!found) return;
    std::string& content = headers_[mention.name];
    if (content.find(found->content) == std::string::npos || content.empty()) content += found->content;
    add_file(found->id, found->content);
  }

  const HeaderLookup& lookup_;
  std::vector<std::pair<std::string, std::string>> files_;  // id, text
  std::set<std::string> seen_;
  std::set<std::tuple<std::string, std::string, bool>> asked_;
  std::map<std::string, std::string> headers_;
};

}  // namespace

HeaderLookup file_lookup(std::filesystem::path source_folder,
                         std::vector<std::filesystem::path> include_paths) {
  return
      [source_folder = std::move(source_folder), include_paths = std::move(include_paths)](
          const std::string& name, const std::string& includer, bool quoted) -> std::optional<FoundHeader> {
        std::vector<std::filesystem::path> folders;
        if (quoted)
          folders.push_back(includer.empty() ? source_folder : std::filesystem::path(includer).parent_path());
        folders.insert(folders.end(), include_paths.begin(), include_paths.end());
        for (const auto& folder : folders) {
          std::error_code code;
          const auto path = std::filesystem::weakly_canonical(folder / name, code);
          if (code || !std::filesystem::is_regular_file(path, code) || code) continue;
          return FoundHeader{path.string(), read_file(path)};
        }
        return std::nullopt;
      };
}

std::map<std::string, std::string> own_headers(std::string_view source, const HeaderLookup& lookup) {
  Collector collector(lookup);
  collector.add_file({}, source);
  return collector.run();
}

}  // namespace warptune::spec
