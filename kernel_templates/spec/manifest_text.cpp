// Guards in front of the TOML library, which overflows the stack on long dotted keys and mishandles some
// UTF-8.
#include <fmt/format.h>

#include "kernel_templates/spec/manifest_tree.hpp"

namespace warptune::spec {
namespace {

constexpr std::size_t max_bytes = 64 * 1024;
constexpr int max_dots = 100;

// Length of the UTF-8 sequence at the start of `text`; 0 when it is not well formed (RFC 3629).
std::size_t sequence_length(std::string_view text) {
  auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return !overlong && !surrogate && continues(1) && continues(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return !overlong && !beyond && continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

// Follows just enough of TOML's lexical rules to know whether a character is inside a string or a comment.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  void run() {
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') {
        end_line();
      } else if (in_comment_) {
        step();
      } else if (!delimiter_.empty()) {
        inside_string();
      } else {
        outside();
      }
    }
  }

 private:
  [[noreturn]] void fail(std::string_view message, std::string hint = {}) const {
    const Location where{origin_, line_, column_};
    throw Error(ErrorKind::bad_input, fmt::format("{}: {}", where.text(), message), std::move(hint));
  }

  void end_line() {
    ++at_;
    ++line_;
    column_ = 1;
    dots_ = 0;
    in_comment_ = false;
    // A one-line string left open is the TOML library's error to report, at its own place.
    if (delimiter_.size() == 1) delimiter_ = {};
  }

  // One whole character.
  void step() {
    const std::size_t length = sequence_length(text_.substr(at_));
    if (length == 0) fail("text is not valid UTF-8", "save the manifest as UTF-8");
    const char c = text_[at_];
    const bool control = (c >= 0 && c < 0x20 && c != '\t' && c != '\r') || c == 0x7F;
    if (control) fail(fmt::format("control character 0x{:02x}", static_cast<unsigned>(c)), "remove it");
    at_ += length;
    ++column_;
  }

  void inside_string() {
    if (delimiter_[0] == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
      step();
      step();
    } else if (text_.substr(at_, delimiter_.size()) == delimiter_) {
      skip(delimiter_.size());
      delimiter_ = {};
    } else {
      step();
    }
  }

  void outside() {
    const char c = text_[at_];
    if (c == '#') in_comment_ = true;
    if (c == '"' || c == '\'') {
      const std::string_view three = c == '"' ? "\"\"\"" : "'''";
      delimiter_ = text_.substr(at_, 3) == three ? three : three.substr(0, 1);
      skip(delimiter_.size());
      return;
    }
    if (static_cast<unsigned char>(c) >= 0x80) {
      fail("character outside ASCII in a key or value",
           "only strings and comments may hold other characters");
    }
    if (c == '.' && ++dots_ > max_dots) {
      fail(fmt::format("more than {} dots in one line", max_dots), "write nested tables with fewer levels");
    }
    step();
  }

  void skip(std::size_t bytes) {
    at_ += bytes;
    column_ += static_cast<int>(bytes);
  }

  std::string_view text_;
  const std::string& origin_;
  std::size_t at_ = 0;
  int line_ = 1;
  int column_ = 1;
  int dots_ = 0;
  bool in_comment_ = false;
  std::string_view delimiter_;  // of the string that is open
};

}  // namespace

void check_manifest_text(std::string_view text, const std::string& origin) {
  if (text.size() > max_bytes) {
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}:1:1: manifest of {} bytes, at most {} are accepted", origin, text.size(), max_bytes),
        "check that this is a kernel manifest");
  }
  Scanner(text, origin).run();
}

}  // namespace warptune::spec
