#include <cmath>

#include <fmt/format.h>

#include "tuner/report/config_text.hpp"
#include "tuner/report/formats.hpp"

namespace warptune::tuner {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

// Numbers in full, so that reading them back gives the same number.
struct ToCsv {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    return std::isfinite(value) ? fmt::format("{}", value) : std::string();
  }
  std::string operator()(const std::string& value) const { return quoted(value); }
  std::string operator()(const db::NamedValues& values) const { return quoted(config_text(values)); }
};

}  // namespace

void write_csv(const Document& document, std::ostream& out, const Style&) {
  if (document.tables.empty()) return;
  const Table& table = document.tables.front();
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out << (i > 0 ? "," : "") << quoted(table.columns[i].name);
  out << "\r\n";
  for (const std::vector<Cell>& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) out << (i > 0 ? "," : "") << std::visit(ToCsv{}, row[i]);
    out << "\r\n";
  }
}

}  // namespace warptune::tuner
