#include "tuner/replay/recorded_space.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include <warptune/base/error.hpp>

#include "tuner/search/draw.hpp"

namespace warptune::tuner {
namespace {

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The distinct values of a column in their order.
std::vector<std::string> ordered_values(const RecordedTable& table, std::size_t column,
                                        const ValueOrders& orders) {
  std::vector<std::string> values;
  std::set<std::string> seen;
  bool numbers = true;
  for (const RecordedRow& row : table.rows) {
    if (!seen.insert(row.values[column]).second) continue;
    values.push_back(row.values[column]);
    numbers = numbers && number(values.back());
  }
  const auto given = orders.find(table.names[column]);
  if (given != orders.end()) {
    std::vector<std::string> known;
    for (const std::string& value : given->second)
      if (seen.contains(value)) known.push_back(value);
    if (known.size() == values.size()) return known;
  }
  if (numbers)
    std::stable_sort(values.begin(), values.end(),
                     [](const auto& a, const auto& b) { return *number(a) < *number(b); });
  return values;
}

Parameter parameter(const std::string& name, const std::vector<std::string>& values) {
  Parameter result{name, {}, true};
  for (const std::string& value : values) {
    const std::optional<double> each = number(value);
    result.ordered = result.ordered && each;
    result.values.push_back(each.value_or(0));
  }
  if (!result.ordered)
    for (std::size_t i = 0; i < values.size(); ++i) result.values[i] = static_cast<double>(i);
  return result;
}

// Columns that vary, and their values in order.
using Columns = std::vector<std::pair<std::size_t, std::vector<std::string>>>;

Columns varying_columns(const RecordedTable& table, const ValueOrders& orders) {
  Columns columns;
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    std::vector<std::string> values = ordered_values(table, i, orders);
    if (values.size() > std::numeric_limits<std::uint16_t>::max())
      throw Error(ErrorKind::bad_input, "parameter '" + table.names[i] + "' has over 65535 values",
                  "leave such columns out");
    if (values.size() > 1) columns.emplace_back(i, std::move(values));
  }
  return columns;
}

std::vector<Parameter> parameters(const RecordedTable& table, const ValueOrders& orders) {
  std::vector<Parameter> result;
  for (const auto& [column, values] : varying_columns(table, orders))
    result.push_back(parameter(table.names[column], values));
  return result;
}

}  // namespace

RecordedSpace::RecordedSpace(std::string name, const RecordedTable& table, const ValueOrders& orders)
    : SearchSpace(tuner::parameters(table, orders)), name_(std::move(name)) {
  const Columns columns = varying_columns(table, orders);
  std::vector<std::unordered_map<std::string, std::uint16_t>> index_of(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t v = 0; v < columns[i].second.size(); ++v)
      index_of[i].emplace(columns[i].second[v], static_cast<std::uint16_t>(v));
  for (const RecordedRow& row : table.rows) {
    Point point;
    for (std::size_t i = 0; i < columns.size(); ++i)
      point.push_back(index_of[i].at(row.values[columns[i].first]));
    if (!index_.emplace(point, results_.size()).second)
      throw Error(ErrorKind::bad_input,
                  "'" + name_ + "' has a config twice: row " + std::to_string(results_.size() + 1) +
                      " of the configs",
                  "keep one row a config");
    if (row.time_ms && (optimum_ms_ == 0 || *row.time_ms < optimum_ms_)) optimum_ms_ = *row.time_ms;
    results_.push_back({std::move(point), row.time_ms, row.std_ms});
  }
  if (optimum_ms_ == 0)
    throw Error(ErrorKind::bad_input, "'" + name_ + "' holds no config with a time",
                "give a complete recording");
}

std::optional<Point> RecordedSpace::sample(std::mt19937_64& random) const {
  return results_[draw_below(random, results_.size())].point;
}

void RecordedSpace::for_each(const std::function<bool(const Point&)>& visit) const {
  for (const Result& result : results_)
    if (!visit(result.point)) return;
}

}  // namespace warptune::tuner
