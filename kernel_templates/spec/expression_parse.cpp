// Recursive descent with one token of look-ahead; precedence as in C.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel_templates/spec/expression_program.hpp"

namespace warptune::spec {
namespace {

// Bounds on recursion: of the parser (nesting) and of everything that walks the tree (length).
constexpr int max_nesting = 64;
constexpr std::size_t max_length = 4096;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

struct BinaryOperator {
  std::string_view token;
  Op op;
};

// From loosest to tightest; operators of one level are left-associative. Longer tokens stand before their
// prefixes.
constexpr BinaryOperator levels[][4] = {
    {{"||", Op::logical_or}},
    {{"&&", Op::logical_and}},
    {{"==", Op::equal}, {"!=", Op::not_equal}},
    {{"<=", Op::less_equal}, {">=", Op::greater_equal}, {"<", Op::less}, {">", Op::greater}},
    {{"+", Op::add}, {"-", Op::subtract}},
    {{"*", Op::multiply}, {"/", Op::divide}, {"%", Op::remainder}},
};
constexpr std::size_t level_count = std::size(levels);

class Parser {
 public:
  Parser(const Expression& expression, Symbols& symbols)
      : expression_(expression), text_(expression.text()), symbols_(symbols) {}

  Expression::Program run() {
    if (text_.size() > max_length)
      fail(0, fmt::format("expression is longer than {} characters", max_length));
    skip_blanks();
    if (at_ == text_.size()) fail(0, "empty expression");
    ternary();
    if (at_ != text_.size()) fail_unexpected("an operator or the end");
    return std::move(program_);
  }

 private:
  [[noreturn]] void fail(std::size_t offset, std::string_view message, std::string hint = {}) const {
    throw Error(ErrorKind::bad_input, expression_message(expression_, offset, message), std::move(hint));
  }

  [[noreturn]] void fail_unexpected(std::string_view wanted) const {
    if (at_ == text_.size()) fail(at_, fmt::format("expected {} but the expression ends", wanted));
    std::string hint;
    const char c = text_[at_];
    if (c == '^') hint = "there is no power operator: write the number out";
    if (c == '=') hint = "compare with ==";
    if (c == '&' || c == '|') hint = "the logical operators are && and ||";
    if (c == '"') hint = "words stand in single quotes";
    if (c == '.') hint = "numbers are whole";
    fail(at_, fmt::format("expected {} but found '{}'", wanted, c), hint);
  }

  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool take(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    skip_blanks();
    return true;
  }

  void require(std::string_view token) {
    if (!take(token)) fail_unexpected(fmt::format("'{}'", token));
  }

  std::uint32_t add(Op op, std::size_t offset, std::initializer_list<std::uint32_t> operands) {
    ExpressionNode node;
    node.op = op;
    node.offset = static_cast<std::uint32_t>(offset);
    std::copy(operands.begin(), operands.end(), node.operands);
    return push(node);
  }

  std::uint32_t literal(std::size_t offset, Value value) {
    ExpressionNode node;
    node.offset = static_cast<std::uint32_t>(offset);
    node.value = value;
    return push(node);
  }

  std::uint32_t push(const ExpressionNode& node) {
    program_.nodes.push_back(node);
    return static_cast<std::uint32_t>(program_.nodes.size() - 1);
  }

  std::uint32_t ternary() {
    if (++nesting_ > max_nesting) fail(at_, fmt::format("nested deeper than {} levels", max_nesting));
    std::uint32_t result = binary(0);
    const std::size_t offset = at_;
    if (take("?")) {
      const std::uint32_t yes = ternary();
      require(":");
      const std::uint32_t no = ternary();
      result = add(Op::choose, offset, {result, yes, no});
    }
    --nesting_;
    return result;
  }

  std::uint32_t binary(std::size_t level) {
    if (level == level_count) return unary();
    std::uint32_t left = binary(level + 1);
    for (;;) {
      const std::size_t offset = at_;
      const auto* found = std::find_if(
          std::begin(levels[level]), std::end(levels[level]),
          [&](const auto& candidate) { return !candidate.token.empty() && take(candidate.token); });
      if (found == std::end(levels[level])) return left;
      const std::uint32_t right = binary(level + 1);
      left = add(found->op, offset, {left, right});
    }
  }

  std::uint32_t unary() {
    if (++nesting_ > max_nesting) fail(at_, fmt::format("nested deeper than {} levels", max_nesting));
    const std::size_t offset = at_;
    std::uint32_t result = 0;
    if (text_.substr(at_, 2) != "!=" && take("!")) {
      result = add(Op::logical_not, offset, {unary()});
    } else if (take("-")) {
      // A literal takes its sign along, so that the smallest integer can be written.
      result = at_ < text_.size() && is_digit(text_[at_]) ? number(offset, true)
                                                          : add(Op::negate, offset, {unary()});
    } else {
      result = primary();
    }
    --nesting_;
    return result;
  }

  std::uint32_t primary() {
    const std::size_t offset = at_;
    if (take("(")) {
      const std::uint32_t inner = ternary();
      require(")");
      return inner;
    }
    if (at_ < text_.size() && is_digit(text_[at_])) return number(offset, false);
    if (at_ < text_.size() && text_[at_] == '\'') return word();
    if (at_ < text_.size() && is_name_start(text_[at_])) return name();
    fail_unexpected("a value");
  }

  std::uint32_t number(std::size_t offset, bool negative) {
    std::int64_t value = 0;
    while (at_ < text_.size() && is_digit(text_[at_])) {
      const int digit = text_[at_++] - '0';
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, negative ? -digit : digit, &value)) {
        fail(offset, "number does not fit 64 bits");
      }
    }
    if (at_ < text_.size() && is_name_start(text_[at_])) {
      fail(at_, fmt::format("unexpected '{}' after a number", text_[at_]),
           "numbers are decimal, without suffix");
    }
    skip_blanks();
    return literal(offset, Value::integer(value));
  }

  std::uint32_t word() {
    const std::size_t offset = at_;
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) fail(offset, "word without closing quote");
    const std::string_view text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    skip_blanks();
    return literal(offset, Value::word(text));
  }

  std::uint32_t name() {
    const std::size_t offset = at_;
    while (at_ < text_.size() && (is_name_part(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string_view text = text_.substr(offset, at_ - offset);
    skip_blanks();
    if (text == "true" || text == "false") return literal(offset, Value::boolean(text == "true"));
    if (at_ < text_.size() && text_[at_] == '(') return call(offset, text);
    ExpressionNode node;
    node.op = Op::variable;
    node.offset = static_cast<std::uint32_t>(offset);
    node.symbol = symbols_.intern(text);
    return push(node);
  }

  std::uint32_t call(std::size_t offset, std::string_view text) {
    constexpr Op functions[] = {Op::ceil_div, Op::minimum, Op::maximum, Op::is_pow2, Op::size_of};
    const auto* found = std::find_if(std::begin(functions), std::end(functions),
                                     [&](Op candidate) { return spelling(candidate) == text; });
    if (found == std::end(functions)) {
      fail(offset, fmt::format("unknown function '{}'", text), "known: ceil_div, min, max, is_pow2, sizeof");
    }
    require("(");
    std::uint32_t operands[2] = {};
    const int count = operand_count(*found);
    for (int i = 0; i < count; ++i) {
      if (i > 0) require(",");
      operands[i] = ternary();
    }
    require(")");
    return count == 1 ? add(*found, offset, {operands[0]}) : add(*found, offset, {operands[0], operands[1]});
  }

  const Expression& expression_;
  std::string_view text_;
  Symbols& symbols_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  Expression::Program program_;
};

}  // namespace

Expression Expression::parse(std::string_view text, const Location& where, Symbols& symbols) {
  Expression expression;
  expression.text_ = text;
  expression.where_ = where;
  Program program = Parser(expression, symbols).run();
  for (const ExpressionNode& node : program.nodes) {
    if (node.op == Op::variable) expression.variables_.push_back(node.symbol);
  }
  auto& variables = expression.variables_;
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  for (std::uint32_t symbol : variables) program.names.push_back(symbols.name(symbol));
  expression.program_ = std::make_shared<const Program>(std::move(program));
  return expression;
}

}  // namespace warptune::spec
