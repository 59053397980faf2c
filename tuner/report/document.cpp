#include "tuner/report/document.hpp"

#include <cmath>

#include <fmt/format.h>

#include "tuner/report/config_text.hpp"
#include "tuner/report/units.hpp"

namespace warptune::tuner {
namespace {

std::string number_text(double value, Show show) {
  switch (show) {
    case Show::time_ns:
      return time_text(value);
    case Show::bytes_per_s:
      return rate_text(value);
    case Show::bytes:
      return bytes_text(static_cast<std::int64_t>(value));
    case Show::factor:
      return factor_text(value);
    case Show::share:
      return percent_text(value);
    case Show::change:
      return (value < 0 ? "-" : "+") + percent_text(std::abs(value));
    case Show::age_s:
      return age_text(static_cast<std::int64_t>(value));
    case Show::text:
    case Show::number:
      break;
  }
  // Four digits, but no powers of ten where people read them at once.
  const double size = std::abs(value);
  return size >= 1e4 && size < 1e12 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

struct CellText {
  Show show;
  std::string operator()(std::monostate) const { return "-"; }
  std::string operator()(bool value) const { return value ? "yes" : "no"; }
  std::string operator()(std::int64_t value) const {
    if (show == Show::number || show == Show::text) return std::to_string(value);
    return number_text(static_cast<double>(value), show);
  }
  std::string operator()(double value) const { return number_text(value, show); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const db::NamedValues& values) const { return config_text(values); }
};

}  // namespace

db::NamedValues named(const std::map<std::string, std::int64_t>& values) {
  return {values.begin(), values.end()};
}
db::NamedValues named(const std::map<std::string, std::string>& values) {
  return {values.begin(), values.end()};
}

std::string cell_text(const Cell& cell, Show show) { return std::visit(CellText{show}, cell); }

}  // namespace warptune::tuner
