// Typed access to the parts of a manifest tree; everything unexpected is an error with its place.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/spec/manifest_tree.hpp"

namespace warptune::spec {

// Error bad_input: "file:line:column: message".
[[noreturn]] void manifest_fail(const Location& where, std::string_view message, std::string hint = {});

// `what` names the part in messages: "[kernel] name". All throw when the node is of another kind.
void require_table(const ManifestNode& node, std::string_view what,
                   std::initializer_list<std::string_view> keys);
const std::vector<ManifestNode>& require_array(const ManifestNode& node, std::string_view what);
const std::string& require_string(const ManifestNode& node, std::string_view what);
std::int64_t require_integer(const ManifestNode& node, std::string_view what);
double require_number(const ManifestNode& node, std::string_view what);
bool require_boolean(const ManifestNode& node, std::string_view what);
// A C identifier that is no function or literal of the expression language.
const std::string& require_identifier(const ManifestNode& node, std::string_view what);
void check_identifier(const std::string& name, const Location& where, std::string_view what);
// One of the words given.
const std::string& require_word(const ManifestNode& node, std::string_view what,
                                std::initializer_list<std::string_view> words);
// A value that a tunable can have: an integer or a word.
Value require_value(const ManifestNode& node, std::string_view what);
// An expression: a string, or an integer as it stands.
Expression require_expression(const ManifestNode& node, std::string_view what, Symbols& symbols);

// The member, which must exist.
const ManifestNode& require_member(const ManifestNode& table, std::string_view key, std::string_view section);

}  // namespace warptune::spec
