// Values of the expression language: 64-bit integers, booleans, words (algorithm choices, type names).
// Value is trivially copyable; words are interned in a process-wide table that is safe for concurrent use.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace warptune::spec {

// An interned string: comparison is by identity, in constant time.
class Word {
 public:
  explicit Word(std::string_view text);
  std::string_view text() const;
  friend bool operator==(Word, Word) = default;
  std::uint32_t id() const { return id_; }
  static Word from_id(std::uint32_t id);

 private:
  struct FromId {};
  Word(FromId, std::uint32_t id) : id_(id) {}
  std::uint32_t id_;
};

class Value {
 public:
  enum class Kind : std::uint8_t { unset, integer, boolean, word };

  Value() = default;
  static Value integer(std::int64_t value) { return {Kind::integer, value}; }
  static Value boolean(bool value) { return {Kind::boolean, value ? 1 : 0}; }
  static Value word(Word value) { return {Kind::word, value.id()}; }
  static Value word(std::string_view text) { return word(Word(text)); }

  Kind kind() const { return kind_; }
  bool is_set() const { return kind_ != Kind::unset; }
  // Preconditions: the kind fits.
  std::int64_t as_integer() const { return payload_; }
  bool as_boolean() const { return payload_ != 0; }
  Word as_word() const { return Word::from_id(static_cast<std::uint32_t>(payload_)); }

  // "256", "true", "two_pass".
  std::string text() const;

  friend bool operator==(const Value&, const Value&) = default;

 private:
  Value(Kind kind, std::int64_t payload) : kind_(kind), payload_(payload) {}
  Kind kind_ = Kind::unset;
  std::int64_t payload_ = 0;
};

}  // namespace warptune::spec
