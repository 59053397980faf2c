// Kinds of expressions, worked out when a template is loaded: `PACK == 'x'` is found before anything is
// evaluated.
#include <fmt/format.h>

#include <algorithm>

#include <warptune/base/text.hpp>
#include <warptune/spec/element_type.hpp>

#include "kernel_templates/spec/analysis.hpp"
#include "kernel_templates/spec/expression_program.hpp"

namespace warptune::spec {
namespace {

using Kind = Value::Kind;

std::string_view describe(Kind kind) {
  switch (kind) {
    case Kind::integer:
      return "an integer";
    case Kind::boolean:
      return "true or false";
    case Kind::word:
      return "a word";
    case Kind::unset:
      return "nothing";
  }
  return "";
}

class KindChecker {
 public:
  KindChecker(const Expression& expression, const Analysis& analysis)
      : expression_(expression), nodes_(expression.program().nodes), analysis_(analysis) {}

  Kind kind(std::uint32_t index) const {
    const ExpressionNode& node = nodes_[index];
    switch (node.op) {
      case Op::literal:
        return node.value.kind();
      case Op::variable:
        return analysis_.symbols[node.symbol].kind;
      case Op::negate:
        return operands(node, Kind::integer, Kind::integer);
      case Op::is_pow2:
        return operands(node, Kind::integer, Kind::boolean);
      case Op::logical_not:
      case Op::logical_and:
      case Op::logical_or:
        return operands(node, Kind::boolean, Kind::boolean);
      case Op::less:
      case Op::less_equal:
      case Op::greater:
      case Op::greater_equal:
        return operands(node, Kind::integer, Kind::boolean);
      case Op::equal:
      case Op::not_equal:
        return comparison(node);
      case Op::choose:
        return choice(node);
      case Op::size_of:
        return size_of(node);
      default:
        return operands(node, Kind::integer, Kind::integer);
    }
  }

 private:
  [[noreturn]] void fail(const ExpressionNode& node, std::string_view message, std::string hint = {}) const {
    throw Error(ErrorKind::bad_input, expression_message(expression_, node.offset, message), std::move(hint));
  }

  Kind operands(const ExpressionNode& node, Kind wanted, Kind result) const {
    for (int i = 0; i < operand_count(node.op); ++i) {
      const Kind found = kind(node.operands[i]);
      if (found == wanted) continue;
      fail(node, fmt::format("operand of '{}' is {}, {} is needed", spelling(node.op), describe(found),
                             describe(wanted)));
    }
    return result;
  }

  Kind comparison(const ExpressionNode& node) const {
    const Kind left = kind(node.operands[0]);
    const Kind right = kind(node.operands[1]);
    if (left != right) fail(node, fmt::format("compares {} with {}", describe(left), describe(right)));
    check_word(node.operands[0], node.operands[1]);
    check_word(node.operands[1], node.operands[0]);
    return Kind::boolean;
  }

  // A word that a name can never hold is a slip: the comparison would always be false.
  void check_word(std::uint32_t name_index, std::uint32_t word_index) const {
    const ExpressionNode& name = nodes_[name_index];
    const ExpressionNode& word = nodes_[word_index];
    if (name.op != Op::variable || word.op != Op::literal || word.value.kind() != Kind::word) return;
    const auto& words = analysis_.symbols[name.symbol].words;
    const std::string text = word.value.text();
    if (words.empty() || std::find(words.begin(), words.end(), text) != words.end()) return;
    fail(word, fmt::format("compares with '{}', which is never the value", text), name_hint(text, words));
  }

  Kind choice(const ExpressionNode& node) const {
    if (kind(node.operands[0]) != Kind::boolean) fail(node, "condition of '?' is not true or false");
    const Kind yes = kind(node.operands[1]);
    const Kind no = kind(node.operands[2]);
    if (yes != no)
      fail(node, fmt::format("one branch of '?' is {}, the other {}", describe(yes), describe(no)));
    return yes;
  }

  Kind size_of(const ExpressionNode& node) const {
    const ExpressionNode& operand = nodes_[node.operands[0]];
    const bool type_name = operand.op == Op::variable &&
                           analysis_.symbols[operand.symbol].depends.groups == group::type &&
                           kind(node.operands[0]) == Kind::word;
    const bool type_word = operand.op == Op::literal && operand.value.kind() == Kind::word &&
                           element_bytes(operand.value.as_word()) > 0;
    if (!type_name && !type_word)
      fail(node, "sizeof needs a type parameter or an element type such as 'float'");
    return Kind::integer;
  }

  const Expression& expression_;
  const std::vector<ExpressionNode>& nodes_;
  const Analysis& analysis_;
};

}  // namespace

Kind infer_kind(const Expression& expression, const Analysis& analysis) {
  return KindChecker(expression, analysis).kind(expression.program().root());
}

}  // namespace warptune::spec
