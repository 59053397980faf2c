#include "db/json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "db/sqlite/connection.hpp"

namespace warptune::db {
namespace {

using nlohmann::json;

// Its objects are sorted maps, which gives the canonical order.
template <class Map>
std::string write(const Map& values) {
  try {
    return json(values).dump();
  } catch (const json::exception&) {
    throw Error(ErrorKind::bad_input, "a name or value to be stored is not valid UTF-8", "use UTF-8 text");
  }
}

std::string shortened(std::string_view text) {
  constexpr std::size_t limit = 60;
  return text.size() <= limit ? std::string(text) : std::string(text.substr(0, limit)) + "...";
}

// Fills a map from parser events, without a tree in between: opening a file parses hundreds of thousands of
// these.
template <class Map>
class FlatReader : public json::json_sax_t {
 public:
  Map values;
  std::string fault = "not a flat JSON object";

  bool start_object(std::size_t) override { return !std::exchange(inside_, true); }
  bool end_object() override { return true; }
  bool key(string_t& name) override {
    name_ = std::move(name);
    return true;
  }
  bool number_integer(number_integer_t value) override { return accept_integer(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) return wrong_kind();
    return accept_integer(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override {
    if constexpr (std::is_same_v<typename Map::mapped_type, double>) return accept(value);
    return wrong_kind();
  }
  bool string(string_t& value) override {
    if constexpr (std::is_constructible_v<typename Map::mapped_type, std::string>)
      return accept(std::move(value));
    return wrong_kind();
  }
  bool null() override { return wrong_kind(); }
  bool boolean(bool) override { return wrong_kind(); }
  bool binary(binary_t&) override { return wrong_kind(); }
  bool start_array(std::size_t) override { return false; }
  bool end_array() override { return false; }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  bool accept_integer(std::int64_t value) {
    if constexpr (std::is_same_v<typename Map::mapped_type, double>) {
      return accept(static_cast<double>(value));
    } else if constexpr (std::is_constructible_v<typename Map::mapped_type, std::int64_t> &&
                         !std::is_same_v<typename Map::mapped_type, std::string>) {
      return accept(value);
    }
    return wrong_kind();
  }
  template <class Value>
  bool accept(Value&& value) {
    if (!inside_) return false;
    if (values.try_emplace(std::move(name_), std::forward<Value>(value)).second) return true;
    fault = "a name twice";
    return false;
  }
  bool wrong_kind() {
    if (inside_) fault = fmt::format("a value of the wrong kind for \"{}\"", name_);
    return false;
  }

  bool inside_ = false;
  std::string name_;
};

// Reads the form that to_json() gives to integers and words that need no escapes, which is nearly every text of a file, at a
// tenth of the cost of a general parser. False: it is of another form, right or wrong.
template <class Map>
bool read_canonical(std::string_view text, Map& values) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto take = [&](char wanted) { return at != end && *at == wanted && (++at, true); };
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  const auto take_word = [&](std::string_view& word) {
    if (!take('"')) return false;
    const char* const first = at;
    while (at != end && is_plain(*at)) ++at;
    word = {first, static_cast<std::size_t>(at - first)};
    return take('"');
  };
  if (!take('{')) return false;
  if (take('}')) return at == end;
  do {
    std::string_view key;
    if (!take_word(key) || !take(':')) return false;
    if constexpr (std::is_same_v<Map, NamedValues>) {
      if (at != end && *at == '"') {
        std::string_view word;
        if (!take_word(word) || !values.try_emplace(std::string(key), std::string(word)).second) return false;
        continue;
      }
    }
    const char* const digits = at != end && *at == '-' ? at + 1 : at;
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (*digits == '0' && stop != digits + 1)) return false;
    at = stop;
    if (!values.try_emplace(std::string(key), value).second) return false;
  } while (take(','));
  return take('}') && at == end;
}

}  // namespace

std::string to_json(const NamedValues& values) {
  json object = json::object();
  for (const auto& [name, value] : values) {
    std::visit([&, &key = name](const auto& held) { object[key] = held; }, value);
  }
  return write(object);
}

std::string to_json(const Words& values) { return write(values); }
std::string to_json(const Integers& values) { return write(values); }

std::string to_json(const Reals& values) {
  for (const auto& [name, value] : values) {
    if (!std::isfinite(value)) {
      throw Error(ErrorKind::bad_input, fmt::format("{} = {} cannot be stored", name, value),
                  "store finite numbers");
    }
  }
  return write(values);
}

template <class Map>
Map from_json(std::string_view text) {
  if constexpr (std::is_same_v<Map, Integers> || std::is_same_v<Map, NamedValues>) {
    if (Map values; read_canonical(text, values)) return values;
  }
  FlatReader<Map> reader;
  if (!json::sax_parse(text.begin(), text.end(), &reader)) {
    throw sqlite::Unreadable(fmt::format("{}: {}", reader.fault, shortened(text)));
  }
  return std::move(reader.values);
}

template NamedValues from_json<NamedValues>(std::string_view);
template Words from_json<Words>(std::string_view);
template Integers from_json<Integers>(std::string_view);
template Reals from_json<Reals>(std::string_view);

}  // namespace warptune::db
