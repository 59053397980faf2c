// JSON documents as plain values, for nested formats that are written and read: no JSON library is seen here.
// Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <warptune/db/records.hpp>

#include "tuner/report/document.hpp"

namespace warptune::tuner {

struct JsonValue;
using JsonArray = std::vector<JsonValue>;
using JsonObject = std::vector<std::pair<std::string, JsonValue>>;  // in the order of writing

struct JsonValue {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, JsonArray, JsonObject> value;

  JsonValue() = default;
  JsonValue(bool given) : value(given) {}
  JsonValue(int given) : value(std::int64_t{given}) {}
  JsonValue(std::int64_t given) : value(given) {}
  JsonValue(double given) : value(given) {}
  JsonValue(const char* given) : value(std::string(given)) {}
  JsonValue(std::string given) : value(std::move(given)) {}
  JsonValue(JsonArray given) : value(std::move(given)) {}
  JsonValue(JsonObject given) : value(std::move(given)) {}
  template <class T>
  JsonValue(const std::optional<T>& given) {
    if (given) value = *given;
  }
};

JsonValue json_of(const db::NamedValues& values);
template <class Value>
JsonValue json_of(const std::map<std::string, Value>& values) {
  JsonObject object;
  for (const auto& [name, value] : values) object.emplace_back(name, value);
  return object;
}

// A row of a table as `--json` shows it.
JsonValue json_of_row(const Table& table, const std::vector<Cell>& row);

// Without blanks. What is no number becomes null, bytes that are no UTF-8 are replaced. `for_html`: no "<" in the
// text, so that it may stand in a script element.
std::string json_text(const JsonValue& value, bool for_html = false);

// Error bad_input: no JSON (with line and column), or nested deeper than any document of ours. `name`: of the
// file, for messages.
JsonValue parse_json(std::string_view text, const std::string& name);

// Walks a document that others wrote; every step that does not fit throws Error bad_input naming the place, such
// as "runs[3].problem.kernel". The document must outlive it.
class JsonReader {
 public:
  JsonReader(const JsonValue& value, std::string place) : value_(&value), place_(std::move(place)) {}

  JsonReader at(const std::string& name) const;                   // a member that must be there
  std::optional<JsonReader> find(const std::string& name) const;  // nothing when absent or null
  std::vector<JsonReader> items() const;
  std::vector<std::pair<std::string, JsonReader>> members() const;
  bool is_text() const { return std::holds_alternative<std::string>(value_->value); }

  bool boolean() const;
  std::int64_t integer() const;
  int small_integer() const;
  double real() const;
  const std::string& text() const;
  const JsonValue& value() const { return *value_; }
  // "runs[3]: ..." as an Error.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  const JsonValue* value_;
  std::string place_;
};

}  // namespace warptune::tuner
