// Values as bytes and back, for messages between the tuner and its workers. Little endian, as both run on one machine.
// One thread at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <warptune/base/error.hpp>

namespace warptune::tuner {

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

class ByteWriter {
 public:
  template <Number T>
  void number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void boolean(bool value) { bytes_.push_back(value ? '\1' : '\0'); }
  template <class E>
    requires std::is_enum_v<E>
  void word(E value) {
    number(static_cast<std::uint32_t>(value));
  }
  // Bytes of any kind, with their length.
  void text(std::string_view value) {
    number(static_cast<std::uint64_t>(value.size()));
    bytes_.append(value);
  }
  // A list or map: its size, then each element by `write`.
  template <class List, class Write>
  void list(const List& values, Write write) {
    number(static_cast<std::uint64_t>(values.size()));
    for (const auto& value : values) write(value);
  }
  template <class T, class Write>
  void optional(const std::optional<T>& value, Write write) {
    boolean(value.has_value());
    if (value) write(*value);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reads what a ByteWriter wrote. Bytes of any other origin are refused, never trusted: each member throws Error bad_input
// on a value that is cut short or out of range.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <Number T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  bool boolean() {
    const char value = take(1).front();
    if (value != '\0' && value != '\1') fail("a truth value");
    return value == '\1';
  }
  // A value of an enum whose members are 0 to `last`.
  template <class E>
    requires std::is_enum_v<E>
  E word(E last) {
    const auto value = number<std::uint32_t>();
    if (value > static_cast<std::uint32_t>(last)) fail("a kind");
    return static_cast<E>(value);
  }
  std::string text() { return std::string(view()); }
  // The same without a copy.
  std::string_view view() { return take(number<std::uint64_t>()); }
  // Calls `read` once per element. A size that the bytes left cannot hold is refused before anything is reserved.
  template <class Read>
  void list(Read read) {
    const auto size = number<std::uint64_t>();
    if (size > rest_.size()) fail("a list");
    for (std::uint64_t i = 0; i < size; ++i) read();
  }
  template <class Read>
  auto optional(Read read) -> std::optional<decltype(read())> {
    if (!boolean()) return std::nullopt;
    return read();
  }
  // To be called last: nothing may be left over.
  void end() const {
    if (!rest_.empty()) fail("the end");
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) fail("a value");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  [[noreturn]] static void fail(const char* what) {
    throw Error(ErrorKind::bad_input,
                std::string("a message between processes is damaged: ") + what + " is wrong");
  }

  std::string_view rest_;
};

static_assert(std::endian::native == std::endian::little);

}  // namespace warptune::tuner
