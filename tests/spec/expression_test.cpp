#include <warptune/spec/expression.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/spec/sample.hpp"

namespace warptune::spec {
namespace {

using test::error_of;

// Variables a = 7, b = -2, T = __half, mode = 'fast', on = true; `missing` has no value.
struct World {
  Symbols symbols;

  Value evaluate(const std::string& text) { return parse(text).evaluate(scope()); }
  Expression parse(const std::string& text) { return Expression::parse(text, {"x.toml", 3, 10}, symbols); }
  Scope scope() {
    const std::uint32_t a = symbols.intern("a"), b = symbols.intern("b"), type = symbols.intern("T");
    const std::uint32_t mode = symbols.intern("mode"), on = symbols.intern("on");
    symbols.intern("missing");
    Scope scope(symbols.size());
    scope.set(a, Value::integer(7));
    scope.set(b, Value::integer(-2));
    scope.set(type, Value::word("__half"));
    scope.set(mode, Value::word("fast"));
    scope.set(on, Value::boolean(true));
    return scope;
  }
};

struct Case {
  std::string text;
  std::string value;
};

class ExpressionValue : public ::testing::TestWithParam<Case> {};

TEST_P(ExpressionValue, Is) {
  EXPECT_EQ(World().evaluate(GetParam().text).text(), GetParam().value) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Table, ExpressionValue,
    ::testing::Values(Case{"1 + 2 * 3", "7"}, Case{"(1 + 2) * 3", "9"}, Case{"10 - 4 - 3", "3"},
                      Case{"100 / 7 / 2", "7"}, Case{"-7 / 2", "-3"}, Case{"-7 % 3", "-1"},
                      Case{"7 % -3", "1"}, Case{"2 - -3", "5"}, Case{"- a", "-7"}, Case{"--a", "7"},
                      Case{"a*b", "-14"}, Case{"9223372036854775807", "9223372036854775807"},
                      Case{"-9223372036854775808", "-9223372036854775808"},
                      Case{"-9223372036854775808 % -1", "0"}, Case{"1 < 2", "true"}, Case{"2 <= 2", "true"},
                      Case{"3 > 4", "false"}, Case{"4 >= 5", "false"}, Case{"1 + 1 == 2", "true"},
                      Case{"1 != 1", "false"}, Case{"1 < 2 == true", "true"},
                      Case{"true || false && false", "true"}, Case{"(true || false) && false", "false"},
                      Case{"!on", "false"}, Case{"!on || on", "true"}, Case{"!(on && false)", "true"},
                      Case{"a == 7 ? 1 : 2", "1"}, Case{"false ? 1 : true ? 2 : 3", "2"},
                      Case{"true ? false ? 1 : 2 : 3", "2"}, Case{"on ? 'x' : 'y'", "x"},
                      Case{"T == '__half'", "true"}, Case{"T != '__half'", "false"},
                      Case{"mode == 'slow'", "false"}, Case{"sizeof(T)", "2"}, Case{"sizeof('double')", "8"},
                      Case{"16 / sizeof(T)", "8"}, Case{"ceil_div(0, 4)", "0"}, Case{"ceil_div(1, 4)", "1"},
                      Case{"ceil_div(8, 4)", "2"}, Case{"ceil_div(-7, 2)", "-3"},
                      Case{"ceil_div(9223372036854775807, 2)", "4611686018427387904"},
                      Case{"min(3, -4)", "-4"}, Case{"max(3, -4)", "3"}, Case{"min(max(1, 5), 3)", "3"},
                      Case{"is_pow2(64)", "true"}, Case{"is_pow2(0)", "false"}, Case{"is_pow2(-4)", "false"},
                      Case{"is_pow2(6)", "false"}, Case{"is_pow2(1)", "true"},
                      // Short circuit: what is not needed is not evaluated.
                      Case{"false && 1 / 0 == 1", "false"}, Case{"true || missing > 1", "true"},
                      Case{"on ? 1 : 1 / 0", "1"}, Case{" \t1\n+\n1 ", "2"}));

class ExpressionFault : public ::testing::TestWithParam<Case> {};

// Text at line 3, column 10: the fault's column is 10 plus its offset.
TEST_P(ExpressionFault, NamesPlaceAndReason) {
  const std::string message = error_of([] { World().evaluate(GetParam().text); });
  EXPECT_EQ(message.substr(0, GetParam().value.size()), GetParam().value) << GetParam().text << "\n"
                                                                          << message;
}

INSTANTIATE_TEST_SUITE_P(
    Table, ExpressionFault,
    ::testing::Values(Case{"9223372036854775807 + 1", "x.toml:3:30: integer overflow at '+' in `"},
                      Case{"-9223372036854775808 - 1", "x.toml:3:31: integer overflow at '-'"},
                      Case{"-(-9223372036854775808)", "x.toml:3:10: integer overflow at '-'"},
                      Case{"-9223372036854775808 / -1", "x.toml:3:31: integer overflow at '/'"},
                      Case{"4611686018427387904 * 2", "x.toml:3:30: integer overflow at '*'"},
                      Case{"1 / 0", "x.toml:3:12: division by zero in `1 / 0`"},
                      Case{"1 % (a - 7)", "x.toml:3:12: division by zero"},
                      Case{"ceil_div(1, 0)", "x.toml:3:10: ceil_div needs a divisor above zero"},
                      Case{"ceil_div(1, b)", "x.toml:3:10: ceil_div needs a divisor above zero"},
                      Case{"1 + missing", "x.toml:3:14: 'missing' has no value here"},
                      Case{"1 + T", "x.toml:3:12: operand is not an integer at '+'"},
                      Case{"a && on", "x.toml:3:12: operand is not true or false"},
                      Case{"!a", "x.toml:3:10: operand is not true or false"},
                      Case{"a == T", "x.toml:3:12: operands of different kinds at '=='"},
                      Case{"sizeof(mode)", "x.toml:3:10: operand is not an element type"},
                      // Syntax.
                      Case{"", "x.toml:3:10: empty expression"}, Case{"   ", "x.toml:3:10: empty expression"},
                      Case{"1 +", "x.toml:3:13: expected a value but the expression ends"},
                      Case{"(1", "x.toml:3:12: expected ')'"},
                      Case{"1 2", "x.toml:3:12: expected an operator or the end but found '2'"},
                      Case{"a = 1", "x.toml:3:12: expected an operator or the end but found '='"},
                      Case{"2^10", "x.toml:3:11: expected an operator or the end but found '^'"},
                      Case{"a & b", "x.toml:3:12: expected an operator"},
                      Case{"'open", "x.toml:3:10: word without closing quote"},
                      Case{"9223372036854775808", "x.toml:3:10: number does not fit 64 bits"},
                      Case{"12ab", "x.toml:3:12: unexpected 'a'"},
                      Case{"1.5", "x.toml:3:11: expected an operator or the end but found '.'"},
                      Case{"pow(2, 3)", "x.toml:3:10: unknown function 'pow'"},
                      Case{"min(1)", "x.toml:3:15: expected ','"},
                      Case{"is_pow2(1, 2)", "x.toml:3:19: expected ')'"},
                      Case{"on ? 1", "x.toml:3:16: expected ':'"},
                      Case{"1 +\n +", "x.toml:4:2: expected a value"}));

TEST(Expression, DeepNestingAndLengthAreErrors) {
  World world;
  EXPECT_NE(
      error_of([&] { world.parse(std::string(1000, '(') + "1" + std::string(1000, ')')); }).find("nested"),
      std::string::npos);
  EXPECT_NE(error_of([&] { world.parse(std::string(1000, '!') + "on"); }).find("nested"), std::string::npos);
  std::string sum = "1";
  for (int i = 0; i < 1000; ++i) sum += "+1";
  EXPECT_EQ(world.evaluate(sum).as_integer(), 1001);
  EXPECT_NE(error_of([&] { world.parse(std::string(5000, ' ') + "1"); }).find("longer than"),
            std::string::npos);
}

TEST(Expression, ListsItsVariablesOnceAscending) {
  World world;
  const Expression expression = world.parse("b + a * b + (on ? 1 : missing)");
  std::vector<std::string> names;
  for (std::uint32_t symbol : expression.variables()) names.push_back(world.symbols.name(symbol));
  EXPECT_EQ(names, (std::vector<std::string>{"b", "a", "on", "missing"}));  // in the order of first mention
}

TEST(Expression, TryEvaluateIsUnsetWhereEvaluateThrows) {
  World world;
  for (const char* text : {"1 / 0", "missing", "1 + T"}) {
    const Expression expression = world.parse(text);
    EXPECT_FALSE(expression.try_evaluate(world.scope()).is_set()) << text;
    EXPECT_THROW(expression.evaluate(world.scope()), EvaluationError) << text;
  }
  EXPECT_EQ(world.parse("a + 1").try_evaluate(world.scope()), Value::integer(8));
}

TEST(Expression, DecideUsesWhatIsKnown) {
  World world;
  auto decide = [&](const char* text) { return world.parse(text).decide(world.scope()); };
  EXPECT_EQ(decide("missing > 1 && mode == 'slow'"), false);
  EXPECT_EQ(decide("mode == 'slow' && missing > 1"), false);
  EXPECT_EQ(decide("missing > 1 || on"), true);
  EXPECT_EQ(decide("missing > 1 && on"), std::nullopt);
  EXPECT_EQ(decide("!(missing > 1 && !on)"), true);
  EXPECT_EQ(decide("missing > 1 ? on : a == 7"), true);
  EXPECT_EQ(decide("on ? missing > 1 : false"), std::nullopt);
}

TEST(Expression, WantsTheKindThatIsAskedFor) {
  World world;
  EXPECT_EQ(error_of([&] { world.parse("on").evaluate_integer(world.scope()); }),
            "x.toml:3:10: integer needed, 'true' found in `on`");
  EXPECT_EQ(error_of([&] { world.parse("a").evaluate_boolean(world.scope()); }),
            "x.toml:3:10: true or false needed, '7' found in `a`");
}

}  // namespace
}  // namespace warptune::spec
