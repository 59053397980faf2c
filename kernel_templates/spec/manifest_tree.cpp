// The only file that includes toml++.
// Its assertions abort on some malformed input, and under NDEBUG become assumptions, which is worse: off in
// every build.
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <fmt/format.h>

#include <algorithm>

#include "kernel_templates/spec/manifest_tree.hpp"

namespace warptune::spec {
namespace {

class Converter {
 public:
  Converter(std::string_view text, const std::string& origin) : origin_(origin) {
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      lines_.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  }

  ManifestNode convert(const toml::node& node) const {
    ManifestNode result;
    result.where = location(node.source().begin);
    if (const auto* table = node.as_table()) {
      convert_table(*table, result);
    } else if (const auto* array = node.as_array()) {
      result.kind = ManifestNode::Kind::array;
      for (const toml::node& item : *array) result.items.push_back(convert(item));
    } else if (const auto* text = node.as_string()) {
      result.kind = ManifestNode::Kind::string;
      result.text = text->get();
      result.content = content_location(result.where);
    } else if (const auto* integer = node.as_integer()) {
      result.kind = ManifestNode::Kind::integer;
      result.integer = integer->get();
      result.real = static_cast<double>(integer->get());
    } else if (const auto* real = node.as_floating_point()) {
      result.kind = ManifestNode::Kind::real;
      result.real = real->get();
    } else if (const auto* boolean = node.as_boolean()) {
      result.kind = ManifestNode::Kind::boolean;
      result.boolean = boolean->get();
    } else {
      result.kind = ManifestNode::Kind::date_or_time;
    }
    return result;
  }

 private:
  void convert_table(const toml::table& table, ManifestNode& result) const {
    for (auto&& [key, value] : table) {
      result.members.push_back({std::string(key.str()), location(key.source().begin), convert(value)});
    }
    // toml++ iterates alphabetically.
    std::stable_sort(result.members.begin(), result.members.end(), [](const auto& a, const auto& b) {
      return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
    });
  }

  Location location(const toml::source_position& position) const {
    return {origin_, std::max(1, static_cast<int>(position.line)),
            std::max(1, static_cast<int>(position.column))};
  }

  // After the opening quotes. Escapes make later columns inexact; expressions need none.
  Location content_location(Location where) const {
    const auto line = static_cast<std::size_t>(where.line - 1);
    if (line >= lines_.size()) return where;
    const auto column = std::min(static_cast<std::size_t>(where.column - 1), lines_[line].size());
    const std::string_view rest = lines_[line].substr(column);
    const bool long_string = rest.starts_with("\"\"\"") || rest.starts_with("'''");
    const std::string_view content = rest.substr(std::min<std::size_t>(rest.size(), long_string ? 3 : 1));
    // A line end right after the opening quotes of a long string is no part of it.
    if (long_string && (content.empty() || content == "\r")) return {where.file, where.line + 1, 1};
    where.column += long_string ? 3 : 1;
    return where;
  }

  const std::string& origin_;
  std::vector<std::string_view> lines_;
};

}  // namespace

const ManifestNode* ManifestNode::find(std::string_view key) const {
  for (const ManifestMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string_view describe(ManifestNode::Kind kind) {
  switch (kind) {
    case ManifestNode::Kind::table:
      return "a table";
    case ManifestNode::Kind::array:
      return "an array";
    case ManifestNode::Kind::string:
      return "a string";
    case ManifestNode::Kind::integer:
      return "an integer";
    case ManifestNode::Kind::real:
      return "a number";
    case ManifestNode::Kind::boolean:
      return "true or false";
    case ManifestNode::Kind::date_or_time:
      return "a date or time";
  }
  return "";
}

ManifestNode parse_manifest_tree(std::string_view text, const std::string& origin) {
  check_manifest_text(text, origin);
  try {
    const toml::table table = toml::parse(text, origin);
    return Converter(text, origin).convert(table);
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    const Location where{origin, std::max(1, static_cast<int>(begin.line)),
                         std::max(1, static_cast<int>(begin.column))};
    std::string message(error.description());
    std::replace(message.begin(), message.end(), '\n', ' ');
    throw Error(ErrorKind::bad_input, fmt::format("{}: {}", where.text(), message),
                "correct the TOML syntax");
  }
}

}  // namespace warptune::spec
