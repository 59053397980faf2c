// Evaluation without allocation: failures travel as a pointer to a fixed text until someone wants them
// thrown.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <warptune/spec/element_type.hpp>

#include "kernel_templates/spec/expression_program.hpp"

namespace warptune::spec {
namespace {

struct Failure {
  const char* message = nullptr;
  const ExpressionNode* node = nullptr;
};

class Evaluation {
 public:
  Evaluation(const std::vector<ExpressionNode>& nodes, const Scope& scope) : nodes_(nodes), scope_(scope) {}

  const Failure& failure() const { return failure_; }

  // Unset on failure.
  Value value(std::uint32_t index) {
    const ExpressionNode& node = nodes_[index];
    switch (node.op) {
      case Op::literal:
        return node.value;
      case Op::variable: {
        const Value found = scope_.get(node.symbol);
        return found.is_set() ? found : fail(node, "no value");
      }
      case Op::logical_and:
      case Op::logical_or:
        return logical(node);
      case Op::logical_not: {
        bool inner = false;
        if (!boolean(node, node.operands[0], inner)) return {};
        return Value::boolean(!inner);
      }
      case Op::choose: {
        bool condition = false;
        if (!boolean(node, node.operands[0], condition)) return {};
        return value(node.operands[condition ? 1 : 2]);
      }
      case Op::equal:
      case Op::not_equal:
        return compare(node);
      case Op::size_of:
        return size_of(node);
      case Op::negate:
      case Op::is_pow2:
        return unary(node);
      default:
        return binary(node);
    }
  }

  // Kleene's three-valued logic over what is known: nothing where an unset variable or an error decides.
  std::optional<bool> decide(std::uint32_t index) {
    const ExpressionNode& node = nodes_[index];
    switch (node.op) {
      case Op::logical_and:
      case Op::logical_or: {
        const bool absorbing = node.op == Op::logical_or;
        const std::optional<bool> left = decide(node.operands[0]);
        if (left == absorbing) return absorbing;
        const std::optional<bool> right = decide(node.operands[1]);
        if (right == absorbing) return absorbing;
        return left && right ? std::optional<bool>(!absorbing) : std::nullopt;
      }
      case Op::logical_not: {
        const std::optional<bool> inner = decide(node.operands[0]);
        return inner ? std::optional<bool>(!*inner) : std::nullopt;
      }
      case Op::choose: {
        if (const auto condition = decide(node.operands[0])) return decide(node.operands[*condition ? 1 : 2]);
        const std::optional<bool> yes = decide(node.operands[1]);
        return yes && yes == decide(node.operands[2]) ? yes : std::nullopt;
      }
      default: {
        const Value result = value(index);
        if (result.kind() != Value::Kind::boolean) return std::nullopt;
        return result.as_boolean();
      }
    }
  }

 private:
  Value fail(const ExpressionNode& node, const char* message) {
    if (failure_.message == nullptr) failure_ = {message, &node};
    return {};
  }

  bool boolean(const ExpressionNode& node, std::uint32_t operand, bool& result) {
    const Value found = value(operand);
    if (!found.is_set()) return false;
    if (found.kind() != Value::Kind::boolean) return fail(node, "operand is not true or false").is_set();
    result = found.as_boolean();
    return true;
  }

  bool integer(const ExpressionNode& node, std::uint32_t operand, std::int64_t& result) {
    const Value found = value(operand);
    if (!found.is_set()) return false;
    if (found.kind() != Value::Kind::integer) return fail(node, "operand is not an integer").is_set();
    result = found.as_integer();
    return true;
  }

  Value logical(const ExpressionNode& node) {
    bool result = false;
    if (!boolean(node, node.operands[0], result)) return {};
    if (result == (node.op == Op::logical_or)) return Value::boolean(result);
    if (!boolean(node, node.operands[1], result)) return {};
    return Value::boolean(result);
  }

  Value compare(const ExpressionNode& node) {
    const Value left = value(node.operands[0]);
    if (!left.is_set()) return {};
    const Value right = value(node.operands[1]);
    if (!right.is_set()) return {};
    if (left.kind() != right.kind()) return fail(node, "operands of different kinds");
    return Value::boolean((left == right) == (node.op == Op::equal));
  }

  Value size_of(const ExpressionNode& node) {
    const Value type = value(node.operands[0]);
    if (!type.is_set()) return {};
    const std::int64_t size = type.kind() == Value::Kind::word ? element_bytes(type.as_word()) : 0;
    return size > 0 ? Value::integer(size) : fail(node, "operand is not an element type");
  }

  Value unary(const ExpressionNode& node) {
    std::int64_t operand = 0;
    if (!integer(node, node.operands[0], operand)) return {};
    if (node.op == Op::is_pow2) return Value::boolean(operand > 0 && (operand & (operand - 1)) == 0);
    std::int64_t result = 0;
    if (__builtin_sub_overflow(std::int64_t{0}, operand, &result)) return fail(node, "integer overflow");
    return Value::integer(result);
  }

  Value binary(const ExpressionNode& node) {
    std::int64_t a = 0, b = 0;
    if (!integer(node, node.operands[0], a) || !integer(node, node.operands[1], b)) return {};
    std::int64_t result = 0;
    bool overflow = false;
    switch (node.op) {
      case Op::multiply:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
      case Op::add:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
      case Op::subtract:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
      case Op::divide:
        if (b == 0) return fail(node, "division by zero");
        overflow = a == std::numeric_limits<std::int64_t>::min() && b == -1;
        if (!overflow) result = a / b;
        break;
      case Op::remainder:
        if (b == 0) return fail(node, "division by zero");
        result = b == -1 ? 0 : a % b;  // INT64_MIN % -1 traps on x86
        break;
      case Op::ceil_div:
        if (b <= 0) return fail(node, "ceil_div needs a divisor above zero");
        result = a / b + (a % b > 0 ? 1 : 0);
        break;
      case Op::minimum:
        result = std::min(a, b);
        break;
      case Op::maximum:
        result = std::max(a, b);
        break;
      case Op::less:
        return Value::boolean(a < b);
      case Op::less_equal:
        return Value::boolean(a <= b);
      case Op::greater:
        return Value::boolean(a > b);
      case Op::greater_equal:
        return Value::boolean(a >= b);
      default:
        return fail(node, "unknown operator");
    }
    return overflow ? fail(node, "integer overflow") : Value::integer(result);
  }

  const std::vector<ExpressionNode>& nodes_;
  const Scope& scope_;
  Failure failure_;
};

[[noreturn]] void raise(const Expression& expression, const Failure& failure) {
  const ExpressionNode& node = *failure.node;
  std::string message = failure.message;
  if (node.op == Op::variable) {
    const auto& variables = expression.variables();
    const auto found = std::lower_bound(variables.begin(), variables.end(), node.symbol);
    const auto& names = expression.program().names;
    message =
        fmt::format("'{}' has no value here", names[static_cast<std::size_t>(found - variables.begin())]);
  } else if (failure.message != std::string_view("division by zero")) {
    message = fmt::format("{} at '{}'", failure.message, spelling(node.op));
  }
  throw EvaluationError(ErrorKind::bad_input, expression_message(expression, node.offset, message));
}

}  // namespace

Value Expression::evaluate(const Scope& scope) const {
  Evaluation evaluation(program_->nodes, scope);
  const Value result = evaluation.value(program_->root());
  if (!result.is_set()) raise(*this, evaluation.failure());
  return result;
}

std::int64_t Expression::evaluate_integer(const Scope& scope) const {
  const Value result = evaluate(scope);
  if (result.kind() != Value::Kind::integer) {
    throw EvaluationError(
        ErrorKind::bad_input,
        expression_message(*this, 0, fmt::format("integer needed, '{}' found", result.text())));
  }
  return result.as_integer();
}

bool Expression::evaluate_boolean(const Scope& scope) const {
  const Value result = evaluate(scope);
  if (result.kind() != Value::Kind::boolean) {
    throw EvaluationError(
        ErrorKind::bad_input,
        expression_message(*this, 0, fmt::format("true or false needed, '{}' found", result.text())));
  }
  return result.as_boolean();
}

Value Expression::try_evaluate(const Scope& scope) const noexcept {
  return Evaluation(program_->nodes, scope).value(program_->root());
}

std::optional<bool> Expression::decide(const Scope& scope) const noexcept {
  return Evaluation(program_->nodes, scope).decide(program_->root());
}

}  // namespace warptune::spec
