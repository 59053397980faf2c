// What a command has to say, before it has a form: named values, tables, remarks. Plain data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <warptune/db/records.hpp>

namespace warptune::tuner {

// monostate: not known, or does not apply.
using Cell = std::variant<std::monostate, bool, std::int64_t, double, std::string, db::NamedValues>;

inline Cell optional_cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }
db::NamedValues named(const std::map<std::string, std::int64_t>& values);
db::NamedValues named(const std::map<std::string, std::string>& values);

using Fields = std::vector<std::pair<std::string, Cell>>;

// How a value is shown to people. Machines always get the plain number, whose name carries the unit.
enum class Show { text, number, time_ns, bytes_per_s, bytes, factor, share, change, age_s };

// Where people find a column: in the row, under it (long texts), or nowhere. Machines get all columns.
enum class Place { row, below, machines };

struct Column {
  std::string name;     // for machines: "time_ns"
  std::string heading;  // for people: "time"
  Show show = Show::text;
  Place place = Place::row;
};

struct Table {
  std::string name;  // for machines: key of the array
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // one cell per column
};

struct Document {
  Fields fields;                   // shown as a list before the tables
  std::vector<Table> tables;       // the first one is the main one: CSV holds it alone
  std::vector<std::string> notes;  // paragraphs for people; kept as strings for machines
};

// The words that stand for a cell in a table: "18.2 us", "yes", "NUM_THREADS=256 PACK=8", "-" when not known.
std::string cell_text(const Cell& cell, Show show);

}  // namespace warptune::tuner
