// The parsed form of an expression: a tree of nodes in one array. Private to the expression parser, evaluator
// and checker.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <warptune/spec/expression.hpp>

namespace warptune::spec {

enum class Op : std::uint8_t {
  literal,
  variable,
  negate,
  logical_not,
  multiply,
  divide,
  remainder,
  add,
  subtract,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  choose,
  ceil_div,
  minimum,
  maximum,
  is_pow2,
  size_of,
};

struct ExpressionNode {
  Op op = Op::literal;
  std::uint32_t offset = 0;        // into the text, for messages
  std::uint32_t operands[3] = {};  // node indices
  std::uint32_t symbol = 0;        // variable
  Value value;                     // literal
};

struct Expression::Program {
  std::vector<ExpressionNode> nodes;  // operands precede their node; the last one is the root
  std::vector<std::string> names;     // of the variables, parallel to Expression::variables()
  std::uint32_t root() const { return static_cast<std::uint32_t>(nodes.size() - 1); }
};

// Spelling of an operator or function: "+", "ceil_div".
std::string_view spelling(Op op);
// How many operands it takes, 0 to 3.
int operand_count(Op op);

// "dot.toml:12:3: message in `expression`".
std::string expression_message(const Expression& expression, std::size_t offset, std::string_view message);

}  // namespace warptune::spec
