// The replay's one reader of JSON: T4 results, and the orders of values.
#include <cmath>
#include <sstream>

#include <boost/property_tree/json_parser.hpp>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>

#include "tuner/replay/recordings.hpp"

namespace warptune::tuner {
namespace {

using Tree = boost::property_tree::ptree;

Tree parse(const std::string& text) {
  std::istringstream in(text);
  Tree tree;
  try {
    boost::property_tree::read_json(in, tree);
  } catch (const boost::property_tree::json_parser_error& error) {
    throw Error(ErrorKind::bad_input,
                "line " + std::to_string(error.line()) + " is no JSON: " + error.message(),
                "give a JSON document");
  }
  return tree;
}

[[noreturn]] void refuse(std::size_t entry, const std::string& what) {
  throw Error(ErrorKind::bad_input, "result " + std::to_string(entry) + " " + what,
              "each needs configuration and invalidity, and measurements where it is correct");
}

double to_ms(double value, const std::string& unit, std::size_t entry) {
  if (unit.empty() || unit == "ms" || unit == "milliseconds") return value;
  if (unit == "s" || unit == "sec" || unit == "seconds") return value * 1e3;
  if (unit == "us" || unit == "microseconds") return value * 1e-3;
  if (unit == "ns" || unit == "nanoseconds") return value * 1e-6;
  refuse(entry, "has a time in the unknown unit '" + unit + "'");
}

// The measurement named by the first objective; the first one where none is named.
std::optional<double> measured_ms(const Tree& result, std::size_t entry) {
  std::string objective;
  if (const auto objectives = result.get_child_optional("objectives"); objectives && !objectives->empty())
    objective = objectives->front().second.data();
  const auto measurements = result.get_child_optional("measurements");
  if (!measurements) return std::nullopt;
  for (const auto& [key, each] : *measurements) {
    if (!objective.empty() && each.get<std::string>("name", "") != objective) continue;
    const auto value = each.get_optional<double>("value");
    if (!value || !std::isfinite(*value) || *value <= 0) return std::nullopt;
    return to_ms(*value, each.get<std::string>("unit", ""), entry);
  }
  return std::nullopt;
}

}  // namespace

RecordedTable parse_space_t4(const std::string& text) {
  const Tree document = parse(text);
  const auto results = document.get_child_optional("results");
  if (!results) throw Error(ErrorKind::bad_input, "no 'results'", "give a T4 results file");
  RecordedTable table;
  std::size_t entry = 0;
  for (const auto& [key, result] : *results) {
    ++entry;
    const auto configuration = result.get_child_optional("configuration");
    if (!configuration || configuration->empty()) refuse(entry, "has no configuration");
    const std::string invalidity = result.get<std::string>("invalidity", "correct");
    if (invalidity == "constraints") continue;  // not of the space
    if (table.names.empty())
      for (const auto& [name, value] : *configuration) table.names.push_back(name);
    if (configuration->size() != table.names.size()) refuse(entry, "has other parameters than the first");
    RecordedRow row;
    for (const std::string& name : table.names) {
      const auto value = configuration->get_child_optional(Tree::path_type(name, '\0'));
      if (!value) refuse(entry, "has no parameter '" + name + "'");
      row.values.push_back(value->data());
    }
    if (invalidity == "correct") row.time_ms = measured_ms(result, entry);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::map<std::string, ValueOrders> parse_value_orders(const std::string& text) {
  std::map<std::string, ValueOrders> orders;
  for (const auto& [space, about] : parse(text)) {
    const auto parameters = about.get_child_optional("params");
    if (!parameters) continue;
    for (const auto& [name, values] : *parameters)
      for (const auto& [key, value] : values) orders[space][name].push_back(value.data());
  }
  return orders;
}

}  // namespace warptune::tuner
