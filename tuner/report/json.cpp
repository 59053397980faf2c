#include <cmath>

#include <nlohmann/json.hpp>

#include "tuner/report/formats.hpp"

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

// File names may hold bytes that are no UTF-8; the rest of the document must not be lost for them.
std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void write_json(const Document& document, std::ostream& out, const Style&) {
  Json json = to_json(document.fields);
  for (const Table& table : document.tables) {
    Json& rows = json[table.name] = Json::array();
    for (const std::vector<Cell>& cells : table.rows) {
      Json row = Json::object();
      for (std::size_t i = 0; i < cells.size(); ++i)
        row[table.columns[i].name] = std::visit(ToJson{}, cells[i]);
      rows.push_back(std::move(row));
    }
  }
  if (!document.notes.empty()) json["notes"] = document.notes;
  out << dump(json, 2) << '\n';
}

void write_json_line(const Fields& fields, std::ostream& out) {
  out << dump(to_json(fields), -1) << '\n' << std::flush;
}

}  // namespace warptune::tuner
