#include <warptune/spec/expression.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "kernel_templates/spec/expression_program.hpp"

namespace warptune::spec {

std::string Location::text() const { return fmt::format("{}:{}:{}", file, line, column); }

std::uint32_t Symbols::intern(std::string_view name) {
  if (const std::uint32_t* known = find(name)) return *known;
  const auto symbol = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  index_.emplace(name, symbol);
  return symbol;
}

const std::uint32_t* Symbols::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &found->second;
}

Location Expression::location_at(std::size_t offset) const {
  Location place = where_;
  for (std::size_t i = 0; i < std::min(offset, text_.size()); ++i) {
    if (text_[i] == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
  }
  return place;
}

std::string expression_message(const Expression& expression, std::size_t offset, std::string_view message) {
  // Messages are one line, expressions need not be.
  std::string text = expression.text();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return fmt::format("{}: {} in `{}`", expression.location_at(offset).text(), message, text);
}

std::string_view spelling(Op op) {
  switch (op) {
    case Op::literal:
      return "a literal";
    case Op::variable:
      return "a name";
    case Op::negate:
    case Op::subtract:
      return "-";
    case Op::logical_not:
      return "!";
    case Op::multiply:
      return "*";
    case Op::divide:
      return "/";
    case Op::remainder:
      return "%";
    case Op::add:
      return "+";
    case Op::less:
      return "<";
    case Op::less_equal:
      return "<=";
    case Op::greater:
      return ">";
    case Op::greater_equal:
      return ">=";
    case Op::equal:
      return "==";
    case Op::not_equal:
      return "!=";
    case Op::logical_and:
      return "&&";
    case Op::logical_or:
      return "||";
    case Op::choose:
      return "?:";
    case Op::ceil_div:
      return "ceil_div";
    case Op::minimum:
      return "min";
    case Op::maximum:
      return "max";
    case Op::is_pow2:
      return "is_pow2";
    case Op::size_of:
      return "sizeof";
  }
  return "";
}

int operand_count(Op op) {
  switch (op) {
    case Op::literal:
    case Op::variable:
      return 0;
    case Op::negate:
    case Op::logical_not:
    case Op::is_pow2:
    case Op::size_of:
      return 1;
    case Op::choose:
      return 3;
    default:
      return 2;
  }
}

}  // namespace warptune::spec
