// Output formats, one per file; a new one is a file and a line in formats.cpp. Thread-safe: no shared state.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/report/document.hpp"

namespace warptune::tuner {

struct Style {
  bool color = false;       // only for terminals
  std::size_t width = 100;  // columns
};

// For people. Tables stay within the width: long texts go under their row, and in the widest text columns
// they go on in further lines; none is cut.
void write_table(const Document& document, std::ostream& out, const Style& style);
// One object: fields by name, each table an array of objects, notes an array of strings. Unknown values are
// null.
void write_json(const Document& document, std::ostream& out, const Style& style);
// RFC 4180, the main table alone: first line names, CRLF line ends, fields quoted where needed.
void write_csv(const Document& document, std::ostream& out, const Style& style);

// GitHub's tables: fields as a list, every column that people see, notes as paragraphs.
void write_markdown(const Document& document, std::ostream& out, const Style& style);

// One JSON object in one line, with its line end: an event of `tune --json`.
void write_json_line(const Fields& fields, std::ostream& out);

struct FormatInfo {
  std::string_view name;
  std::string_view summary;
  void (*write)(const Document&, std::ostream&, const Style&);
};

const std::vector<FormatInfo>& formats();
// Error not_found lists what exists.
const FormatInfo& find_format(std::string_view name);

}  // namespace warptune::tuner
