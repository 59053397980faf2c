#include "kernel_templates/spec/manifest_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <warptune/base/text.hpp>

namespace warptune::spec {
namespace {

void require_kind(const ManifestNode& node, std::string_view what, ManifestNode::Kind kind) {
  if (node.kind == kind) return;
  manifest_fail(node.where, fmt::format("{} must be {}, not {}", what, describe(kind), describe(node.kind)));
}

bool is_identifier(std::string_view name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void check_choice(const std::string& word, const Location& where) {
  const bool fits = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
  });
  if (!fits) {
    manifest_fail(where, fmt::format("word '{}' cannot be a tunable's value", word),
                  "words consist of letters, digits, _ and :");
  }
}

}  // namespace

void manifest_fail(const Location& where, std::string_view message, std::string hint) {
  // Quoted input may hold line ends; messages are one line.
  std::string line = fmt::format("{}: {}", where.text(), message);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
  throw Error(ErrorKind::bad_input, line, std::move(hint));
}

void require_table(const ManifestNode& node, std::string_view what,
                   std::initializer_list<std::string_view> keys) {
  require_kind(node, what, ManifestNode::Kind::table);
  for (const ManifestMember& member : node.members) {
    if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) continue;
    const std::vector<std::string> known(keys.begin(), keys.end());
    manifest_fail(member.where, fmt::format("unknown key '{}' in {}", member.key, what),
                  name_hint(member.key, known));
  }
}

const std::vector<ManifestNode>& require_array(const ManifestNode& node, std::string_view what) {
  require_kind(node, what, ManifestNode::Kind::array);
  return node.items;
}

const std::string& require_string(const ManifestNode& node, std::string_view what) {
  require_kind(node, what, ManifestNode::Kind::string);
  return node.text;
}

std::int64_t require_integer(const ManifestNode& node, std::string_view what) {
  require_kind(node, what, ManifestNode::Kind::integer);
  return node.integer;
}

double require_number(const ManifestNode& node, std::string_view what) {
  if (node.kind != ManifestNode::Kind::integer) require_kind(node, what, ManifestNode::Kind::real);
  return node.real;
}

bool require_boolean(const ManifestNode& node, std::string_view what) {
  require_kind(node, what, ManifestNode::Kind::boolean);
  return node.boolean;
}

void check_identifier(const std::string& name, const Location& where, std::string_view what) {
  if (!is_identifier(name)) {
    manifest_fail(where, fmt::format("{} '{}' is not a name", what, name),
                  "names consist of letters, digits and _ and do not start with a digit");
  }
  for (std::string_view reserved : {"true", "false", "ceil_div", "min", "max", "is_pow2", "sizeof"}) {
    if (name == reserved) {
      manifest_fail(where, fmt::format("{} '{}' is a word of the expression language", what, name),
                    "choose another name");
    }
  }
}

const std::string& require_identifier(const ManifestNode& node, std::string_view what) {
  const std::string& name = require_string(node, what);
  check_identifier(name, node.where, what);
  return name;
}

const std::string& require_word(const ManifestNode& node, std::string_view what,
                                std::initializer_list<std::string_view> words) {
  const std::string& word = require_string(node, what);
  if (std::find(words.begin(), words.end(), word) == words.end()) {
    const std::vector<std::string> known(words.begin(), words.end());
    manifest_fail(node.where, fmt::format("{} cannot be '{}'", what, word), "allowed: " + join(known));
  }
  return word;
}

Value require_value(const ManifestNode& node, std::string_view what) {
  if (node.kind == ManifestNode::Kind::integer) return Value::integer(node.integer);
  if (node.kind == ManifestNode::Kind::string) {
    check_choice(node.text, node.where);
    return Value::word(node.text);
  }
  manifest_fail(node.where, fmt::format("{} must be an integer or a word, not {}", what, describe(node.kind)),
                node.kind == ManifestNode::Kind::boolean ? "write 0 or 1" : "");
}

Expression require_expression(const ManifestNode& node, std::string_view what, Symbols& symbols) {
  if (node.kind == ManifestNode::Kind::integer) {
    return Expression::parse(std::to_string(node.integer), node.where, symbols);
  }
  if (node.kind != ManifestNode::Kind::string) {
    manifest_fail(node.where,
                  fmt::format("{} must be an expression in a string, not {}", what, describe(node.kind)));
  }
  return Expression::parse(node.text, node.content, symbols);
}

const ManifestNode& require_member(const ManifestNode& table, std::string_view key,
                                   std::string_view section) {
  if (const ManifestNode* found = table.find(key)) return *found;
  manifest_fail(table.where, fmt::format("{} lacks the key '{}'", section, key),
                fmt::format("add {} = ...", key));
}

}  // namespace warptune::spec
