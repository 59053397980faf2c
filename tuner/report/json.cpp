#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>

#include "tuner/report/formats.hpp"
#include "tuner/report/json_value.hpp"

namespace warptune::tuner {
namespace {

using Json = nlohmann::ordered_json;

struct ToJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(bool value) const { return value; }
  Json operator()(std::int64_t value) const { return value; }
  Json operator()(double value) const { return std::isfinite(value) ? Json(value) : Json(nullptr); }
  Json operator()(const std::string& value) const { return value; }
  Json operator()(const db::NamedValues& values) const {
    Json object = Json::object();
    for (const auto& [name, value] : values)
      std::visit([&, &key = name](const auto& v) { object[key] = v; }, value);
    return object;
  }
};

Json to_json(const Fields& fields) {
  Json object = Json::object();
  for (const auto& [name, cell] : fields) object[name] = std::visit(ToJson{}, cell);
  return object;
}

struct TreeToJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(bool value) const { return value; }
  Json operator()(std::int64_t value) const { return value; }
  Json operator()(double value) const { return std::isfinite(value) ? Json(value) : Json(nullptr); }
  Json operator()(const std::string& value) const { return value; }
  Json operator()(const JsonArray& values) const {
    Json array = Json::array();
    for (const JsonValue& value : values) array.push_back(std::visit(*this, value.value));
    return array;
  }
  Json operator()(const JsonObject& members) const {
    Json object = Json::object();
    for (const auto& [name, value] : members) object[name] = std::visit(*this, value.value);
    return object;
  }
};

JsonValue from_json(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean:
      return json.get<bool>();
    case Json::value_t::number_integer:
      return json.get<std::int64_t>();
    case Json::value_t::number_unsigned:
      if (json.get<std::uint64_t>() <= INT64_MAX) return json.get<std::int64_t>();
      return json.get<double>();
    case Json::value_t::number_float:
      return json.get<double>();
    case Json::value_t::string:
      return json.get<std::string>();
    case Json::value_t::array: {
      JsonArray array;
      for (const Json& each : json) array.push_back(from_json(each));
      return array;
    }
    case Json::value_t::object: {
      JsonObject object;
      for (const auto& [name, value] : json.items()) object.emplace_back(name, from_json(value));
      return object;
    }
    default:
      return {};
  }
}

// Of any document that is read here; deeper ones could exhaust the stack.
constexpr int deepest = 64;

// File names may hold bytes that are no UTF-8; the rest of the document must not be lost for them.
std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

// Row by row, a line each: a document may hold many thousands, and a tree of all of them would cost more than the rest.
void write_json(const Document& document, std::ostream& out, const Style&) {
  const char* separator = "{\n";
  const auto member = [&](const std::string& name) {
    out << std::exchange(separator, ",\n") << "  " << dump(name, -1) << ": ";
  };
  for (const auto& [name, cell] : document.fields) {
    member(name);
    out << dump(std::visit(ToJson{}, cell), -1);
  }
  for (const Table& table : document.tables) {
    member(table.name);
    const char* between = "[\n    ";
    for (const std::vector<Cell>& cells : table.rows) {
      Json::object_t row;  // a vector; columns have names of their own, so nothing is looked up
      row.reserve(cells.size());
      for (std::size_t i = 0; i < cells.size(); ++i)
        row.emplace_back(table.columns[i].name, std::visit(ToJson{}, cells[i]));
      out << std::exchange(between, ",\n    ") << dump(std::move(row), -1);
    }
    out << (table.rows.empty() ? "[]" : "\n  ]");
  }
  if (!document.notes.empty()) {
    member("notes");
    out << dump(document.notes, -1);
  }
  out << (document.fields.empty() && document.tables.empty() && document.notes.empty() ? "{}\n" : "\n}\n");
}

std::string json_text(const JsonValue& value, bool for_html) {
  const std::string text = dump(std::visit(TreeToJson{}, value.value), -1);
  if (!for_html) return text;
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

JsonValue parse_json(std::string_view text, const std::string& name) {
  try {
    return from_json(Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
      if (depth > deepest)
        throw Error(ErrorKind::bad_input, "'" + name + "' is nested too deeply",
                    "take a file that `warptune export` wrote");
      return true;
    }));
  } catch (const Json::exception& error) {
    std::string why = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    if (const std::size_t end = why.find("] "); end != std::string::npos) why.erase(0, end + 2);
    throw Error(ErrorKind::bad_input, "'" + name + "' is no JSON: " + one_line(why),
                "take a file that `warptune export` wrote");
  }
}

void write_json_line(const Fields& fields, std::ostream& out) {
  out << dump(to_json(fields), -1) << '\n' << std::flush;
}

}  // namespace warptune::tuner
