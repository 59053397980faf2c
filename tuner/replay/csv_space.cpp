#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>

#include "tuner/replay/recordings.hpp"

namespace warptune::tuner {
namespace {

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (const std::string_view cell : split(line, ',')) cells.emplace_back(trim(cell));
  return cells;
}

std::optional<double> milliseconds(const std::string& cell, std::size_t line, const std::string& column) {
  if (cell.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !(value >= 0) || value > 1e30)
    throw Error(ErrorKind::bad_input,
                "line " + std::to_string(line) + ": '" + cell + "' is no number of milliseconds in " + column,
                "leave it empty where nothing was measured");
  return value;
}

}  // namespace

RecordedTable parse_space_csv(const std::string& text) {
  constexpr std::array<std::string_view, 4> figures = {"time_ms", "std_ms", "cost_ms", "status"};
  RecordedTable table;
  std::vector<std::string> header;
  std::string_view rest = text;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view content = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (content.empty()) continue;
    const std::vector<std::string> cells = cells_of(content);
    if (header.empty()) {
      header = cells;
      for (const std::string& name : header)
        if (std::find(figures.begin(), figures.end(), name) == figures.end()) table.names.push_back(name);
      if (std::find(header.begin(), header.end(), "time_ms") == header.end())
        throw Error(ErrorKind::bad_input, "no column 'time_ms' in the first line",
                    "a recorded space has a column for each parameter, and time_ms");
      continue;
    }
    if (cells.size() != header.size())
      throw Error(ErrorKind::bad_input,
                  "line " + std::to_string(line) + " has " + std::to_string(cells.size()) +
                      " cells, the first line " + std::to_string(header.size()),
                  "give every line as many as the first");
    RecordedRow row;
    bool failed = false;
    for (std::size_t i = 0; i < header.size(); ++i) {
      if (header[i] == "time_ms")
        row.time_ms = milliseconds(cells[i], line, header[i]);
      else if (header[i] == "std_ms")
        row.std_ms = milliseconds(cells[i], line, header[i]);
      else if (header[i] == "status")
        failed = cells[i] != "ok";
      else if (header[i] != "cost_ms")
        row.values.push_back(cells[i]);
    }
    if (failed || row.time_ms == 0) row.time_ms.reset();
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace warptune::tuner
