#include "tuner/report/formats.hpp"

namespace warptune::tuner {
namespace {

// A cell's own bars and line ends would end it.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result;
}

void write_line(const std::vector<std::string>& cells, std::ostream& out) {
  out << '|';
  for (const std::string& cell : cells) out << ' ' << escaped(cell) << " |";
  out << '\n';
}

void write_one(const Table& table, std::ostream& out) {
  std::vector<std::string> heading, rule;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.place == Place::machines) continue;
    shown.push_back(i);
    heading.push_back(column.heading);
    rule.emplace_back(column.show == Show::text ? "---" : "---:");
  }
  write_line(heading, out);
  write_line(rule, out);
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<std::string> cells;
    for (const std::size_t i : shown) cells.push_back(cell_text(row[i], table.columns[i].show));
    write_line(cells, out);
  }
}

}  // namespace

void write_markdown(const Document& document, std::ostream& out, const Style&) {
  for (const auto& [name, cell] : document.fields)
    out << "- " << name << ": " << escaped(cell_text(cell, Show::text)) << '\n';
  bool first = document.fields.empty();
  for (const Table& table : document.tables) {
    if (table.rows.empty()) continue;
    if (!first) out << '\n';
    first = false;
    write_one(table, out);
  }
  for (const std::string& note : document.notes) out << '\n' << note << '\n';
}

}  // namespace warptune::tuner
