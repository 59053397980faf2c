#include <warptune/db/device_name.hpp>

#include <array>

namespace warptune::db {
namespace {

// The signs are UTF-8: registered, trade mark, copyright.
constexpr std::array<std::string_view, 9> marks{"(R)", "(r)",      "(TM)",         "(tm)",    "(C)",
                                                "(c)", "\xC2\xAE", "\xE2\x84\xA2", "\xC2\xA9"};

std::size_t mark_at(std::string_view text) {
  for (const std::string_view mark : marks) {
    if (text.starts_with(mark)) return mark.size();
  }
  return 0;
}

bool is_blank(char character) { return character == ' ' || (character >= '\t' && character <= '\r'); }

}  // namespace

std::string normalise_device_name(std::string_view name) {
  std::string result;
  bool gap = false;
  while (!name.empty()) {
    if (const std::size_t length = mark_at(name)) {
      // A mark ends a word: "Quadro(R)RTX" must not become one.
      gap = true;
      name.remove_prefix(length);
      continue;
    }
    const char character = name.front();
    name.remove_prefix(1);
    if (is_blank(character)) {
      gap = true;
      continue;
    }
    if (gap && !result.empty()) result += ' ';
    gap = false;
    result += character;
  }
  return result;
}

}  // namespace warptune::db
