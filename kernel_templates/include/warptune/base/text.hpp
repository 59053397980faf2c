// Small text helpers shared by everything that talks to people. Pure functions, thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// `text` without blanks, tabs and line ends at both ends.
std::string_view trim(std::string_view text);

// The parts between separators, as they stand: one more than there are separators. Views into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

// "a, b, c".
std::string join(std::span<const std::string> parts, std::string_view separator = ", ");

// `text` with blanks for control characters, those of UTF-8's second page too: a line that steers no terminal.
std::string one_line(std::string_view text);

// `text` as one word of a POSIX shell.
std::string shell_word(const std::string& text);

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, ignoring ASCII case.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known name closest to `name`, if it is close enough to be a slip of the keyboard (about one letter in
// three).
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known);

// What to tell someone who wrote an unknown name: "did you mean 'PACK'?", else "known: a, b, c". Empty if
// nothing is known.
std::string name_hint(std::string_view name, std::span<const std::string> known);

}  // namespace warptune
