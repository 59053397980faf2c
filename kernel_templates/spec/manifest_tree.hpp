// A TOML document as a plain tree in file order, every part with its place. Keeps the TOML library in one
// source file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <warptune/spec/expression.hpp>

namespace warptune::spec {

struct ManifestMember;

struct ManifestNode {
  enum class Kind { table, array, string, integer, real, boolean, date_or_time };

  Kind kind = Kind::table;
  Location where;    // of the value's first character
  Location content;  // strings: of the first character between the quotes
  std::string text;  // strings
  std::int64_t integer = 0;
  double real = 0;  // of integers too
  bool boolean = false;
  std::vector<ManifestMember> members;  // tables
  std::vector<ManifestNode> items;      // arrays

  // The member's value, null when absent.
  const ManifestNode* find(std::string_view key) const;
};

struct ManifestMember {
  std::string key;
  Location where;
  ManifestNode value;
};

// "a table", "an array", "a string", ...
std::string_view describe(ManifestNode::Kind kind);

// Parses a manifest's text; `origin` names it in messages. Error bad_input: "origin:line:column: message".
ManifestNode parse_manifest_tree(std::string_view text, const std::string& origin);

// What must hold before the TOML library sees the text: size, valid UTF-8, ASCII outside strings and
// comments, few dots per line (the library recurses per dot). Error bad_input as above.
void check_manifest_text(std::string_view text, const std::string& origin);

}  // namespace warptune::spec
