// The expression language of manifests: 64-bit integers (overflow is an error), booleans, words in single
// quotes. Expression is immutable and safe for concurrent evaluation; Scope belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/base/error.hpp>
#include <warptune/spec/value.hpp>

namespace warptune::spec {

// Where a piece of text stands in its file; line and column count from 1.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  std::string text() const;  // "dot.toml:12:3"
};

// Dense numbering of the variable names of one template, so that evaluation needs no string.
class Symbols {
 public:
  std::uint32_t intern(std::string_view name);
  // Nothing when the name was never interned.
  const std::uint32_t* find(std::string_view name) const;
  const std::string& name(std::uint32_t symbol) const { return names_[symbol]; }
  std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t, std::less<>> index_;
};

// Values by symbol; unset values make an expression that needs them fail with an evaluation error.
class Scope {
 public:
  explicit Scope(std::size_t symbols) : values_(symbols) {}
  void set(std::uint32_t symbol, Value value) { values_[symbol] = value; }
  void unset(std::uint32_t symbol) { values_[symbol] = Value(); }
  Value get(std::uint32_t symbol) const { return values_[symbol]; }
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<Value> values_;
};

// Thrown by Expression::evaluate: kind bad_input, message names file, line, column and the expression.
class EvaluationError : public Error {
 public:
  using Error::Error;
};

class Expression {
 public:
  struct Program;  // the parsed form, private to the library

  Expression() = default;  // empty: no expression given
  // Syntax: literals, 'words', names, + - * / % (whole-number division towards zero), comparisons, && || !
  // (short-circuit), c ? a : b, ceil_div(a,b) min max is_pow2 sizeof(T). `where`: place of the text's first
  // character. Error bad_input with location on a syntax error.
  static Expression parse(std::string_view text, const Location& where, Symbols& symbols);

  explicit operator bool() const { return program_ != nullptr; }
  const std::string& text() const { return text_; }
  const Location& where() const { return where_; }
  // Symbols it mentions, each once, ascending.
  const std::vector<std::uint32_t>& variables() const { return variables_; }

  // Precondition of all that evaluate: not empty, `scope` has a place for every symbol of the table it was
  // parsed with. Error: EvaluationError (overflow, division by zero, unset variable, wrong kinds).
  Value evaluate(const Scope& scope) const;
  std::int64_t evaluate_integer(const Scope& scope) const;
  bool evaluate_boolean(const Scope& scope) const;
  // The value, or unset where evaluate() would throw. Allocates nothing.
  Value try_evaluate(const Scope& scope) const noexcept;
  // True or false as soon as the set variables decide it, whatever the others hold: `false && unset` is
  // false.
  std::optional<bool> decide(const Scope& scope) const noexcept;

  const Program& program() const { return *program_; }
  // Place of the character `offset` bytes into the text.
  Location location_at(std::size_t offset) const;

 private:
  std::shared_ptr<const Program> program_;
  std::string text_;
  Location where_;
  std::vector<std::uint32_t> variables_;
};

}  // namespace warptune::spec
