#include "runtime/compile/compile_log.hpp"

#include <gtest/gtest.h>

namespace warptune::runtime {
namespace {

TEST(FirstError, OfTheProgramIsTakenAsItStands) {
  EXPECT_EQ(first_error("dot.cu(3): error: identifier \"x\" is undefined\n   x;\n   ^\n\n1 error detected.\n",
                        "dot.cu"),
            "dot.cu(3): error: identifier \"x\" is undefined");
}

TEST(FirstError, WarningsAndEchoedSourceAreNoErrors) {
  const char* const log =
      "dot.cu(1): warning #177-D: variable \"error\" was declared but never referenced\n"
      "  float error : 3;\n        ^\n\n"
      "dot.cu(9): catastrophic error: cannot open source file \"nope.h\"\n";
  EXPECT_EQ(first_error(log, "dot.cu"), "dot.cu(9): catastrophic error: cannot open source file \"nope.h\"");
}

TEST(FirstError, InAHeaderNamesTheLineThatLedThere) {
  const char* const log =
      "/include/h.h(1): error: expression must have class type\n  return a.x;\n         ^\n"
      "          detected during:\n"
      "            instantiation of \"T add(T) [with T=float]\" at line 3 of dot.cu\n"
      "            instantiation of \"void k(T *) [with T=float]\" \n\n";
  EXPECT_EQ(first_error(log, "dot.cu"),
            "/include/h.h(1): error: expression must have class type (from dot.cu(3))");
}

TEST(FirstError, OfOtherStagesIsFound) {
  EXPECT_EQ(
      first_error(
          "ptxas info    : 0 bytes gmem\nptxas error   : Entry function '_Z1k' uses too much shared data\n",
          "a.cu"),
      "ptxas error   : Entry function '_Z1k' uses too much shared data");
  EXPECT_EQ(first_error("nvrtc: error: unrecognized option --bogus found\n", "a.cu"),
            "nvrtc: error: unrecognized option --bogus found");
  EXPECT_EQ(first_error("__nv_name_map(2): error: identifier \"nok\" is undefined\n", "a.cu"),
            "name expression: error: identifier \"nok\" is undefined");
}

TEST(FirstError, WithoutOneIsTheFirstLine) {
  EXPECT_EQ(first_error("\n", "a.cu"), "no log");
  EXPECT_EQ(first_error("", "a.cu"), "no log");
  EXPECT_EQ(first_error("something\nelse", "a.cu"), "something");
}

}  // namespace
}  // namespace warptune::runtime
