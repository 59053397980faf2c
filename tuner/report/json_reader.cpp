#include <limits>

#include <warptune/base/error.hpp>

#include "tuner/report/json_value.hpp"

namespace warptune::tuner {

JsonValue json_of(const db::NamedValues& values) {
  JsonObject object;
  for (const auto& [name, value] : values)
    std::visit([&, &key = name](const auto& v) { object.emplace_back(key, v); }, value);
  return object;
}

JsonValue json_of_row(const Table& table, const std::vector<Cell>& row) {
  struct ToValue {
    JsonValue operator()(std::monostate) const { return {}; }
    JsonValue operator()(const db::NamedValues& values) const { return json_of(values); }
    JsonValue operator()(bool value) const { return value; }
    JsonValue operator()(std::int64_t value) const { return value; }
    JsonValue operator()(double value) const { return value; }
    JsonValue operator()(const std::string& value) const { return value; }
  };
  JsonObject object;
  for (std::size_t i = 0; i < row.size(); ++i)
    object.emplace_back(table.columns[i].name, std::visit(ToValue{}, row[i]));
  return object;
}

void JsonReader::fail(const std::string& what) const {
  throw Error(ErrorKind::bad_input, (place_.empty() ? "the document" : place_) + " " + what,
              "take a file that `warptune export` wrote");
}

std::optional<JsonReader> JsonReader::find(const std::string& name) const {
  const auto* object = std::get_if<JsonObject>(&value_->value);
  if (object == nullptr) fail("is no object");
  for (const auto& [key, value] : *object) {
    if (key != name) continue;
    if (std::holds_alternative<std::monostate>(value.value)) return std::nullopt;
    return JsonReader(value, place_.empty() ? name : place_ + "." + name);
  }
  return std::nullopt;
}

JsonReader JsonReader::at(const std::string& name) const {
  if (auto member = find(name)) return *member;
  fail("lacks '" + name + "'");
}

std::vector<JsonReader> JsonReader::items() const {
  const auto* array = std::get_if<JsonArray>(&value_->value);
  if (array == nullptr) fail("is no array");
  std::vector<JsonReader> readers;
  for (std::size_t i = 0; i < array->size(); ++i)
    readers.emplace_back((*array)[i], place_ + "[" + std::to_string(i) + "]");
  return readers;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  const auto* object = std::get_if<JsonObject>(&value_->value);
  if (object == nullptr) fail("is no object");
  std::vector<std::pair<std::string, JsonReader>> readers;
  for (const auto& [key, value] : *object) readers.emplace_back(key, JsonReader(value, place_ + "." + key));
  return readers;
}

bool JsonReader::boolean() const {
  if (const auto* boolean = std::get_if<bool>(&value_->value)) return *boolean;
  fail("is neither true nor false");
}

std::int64_t JsonReader::integer() const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_->value)) return *integer;
  fail("is no whole number");
}

int JsonReader::small_integer() const {
  const std::int64_t value = integer();
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
    fail("is out of range");
  return static_cast<int>(value);
}

double JsonReader::real() const {
  if (const auto* real = std::get_if<double>(&value_->value)) return *real;
  if (const auto* integer = std::get_if<std::int64_t>(&value_->value)) return static_cast<double>(*integer);
  fail("is no number");
}

const std::string& JsonReader::text() const {
  if (const auto* text = std::get_if<std::string>(&value_->value)) return *text;
  fail("is no text");
}

}  // namespace warptune::tuner
