#include <warptune/spec/problem_text.hpp>

#include <gtest/gtest.h>

#include "tests/spec/sample.hpp"

namespace warptune::spec {
namespace {

using test::changed;
using test::error_of;
using Sizes = std::vector<std::int64_t>;

TEST(ParseSize, Forms) {
  EXPECT_EQ(parse_size("0"), 0);
  EXPECT_EQ(parse_size(" 16777216 "), 16777216);
  EXPECT_EQ(parse_size("2^24"), 16777216);
  EXPECT_EQ(parse_size("3*2^20"), 3145728);
  EXPECT_EQ(parse_size("2^31+3"), 2147483651);
  EXPECT_EQ(parse_size("2^10-1"), 1023);
  EXPECT_EQ(parse_size("9223372036854775807"), 9223372036854775807);
  EXPECT_EQ(parse_size("2^0"), 1);
  EXPECT_EQ(parse_size("1^9000000000000000000"), 1);
  EXPECT_EQ(parse_size("0^5"), 0);
}

TEST(ParseSize, Faults) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", "'' is no size: empty number"},
      {"-5", "'-5' is no size: negative"},
      {"3-5", "'3-5' is no size: negative"},
      {"abc", "'abc' is no size: unexpected 'a' at position 1"},
      {"12k", "'12k' is no size: unexpected 'k' at position 3"},
      {"1.5", "'1.5' is no size: unexpected '.' at position 2"},
      {"2^", "'2^' is no size: it ends where a number should follow"},
      {"2^-1", "'2^-1' is no size: unexpected '-' at position 3"},
      {"2^63", "'2^63' is no size: beyond 2^63-1"},
      {"9223372036854775808", "'9223372036854775808' is no size: beyond 2^63-1"},
      {"2^62*2", "'2^62*2' is no size: beyond 2^63-1"},
      {"9223372036854775807+1", "'9223372036854775807+1' is no size: beyond 2^63-1"},
  };
  for (const auto& test : cases) {
    const std::string message = error_of([&] { parse_size(test.text); });
    EXPECT_EQ(message.substr(0, message.find(';')), test.message);
  }
}

TEST(ParseSizes, ListsAndRanges) {
  EXPECT_EQ(parse_sizes("1,2, 3"), (Sizes{1, 2, 3}));
  EXPECT_EQ(parse_sizes("2^10..2^16:x4"), (Sizes{1024, 4096, 16384, 65536}));
  EXPECT_EQ(parse_sizes("1..10:x3"), (Sizes{1, 3, 9}));
  EXPECT_EQ(parse_sizes("0..1000:+250"), (Sizes{0, 250, 500, 750, 1000}));
  EXPECT_EQ(parse_sizes("5..5:x2"), (Sizes{5}));
  EXPECT_EQ(parse_sizes("7,1..4:x2"), (Sizes{7, 1, 2, 4}));
  EXPECT_EQ(parse_sizes("2^62..9223372036854775807:x2"), (Sizes{4611686018427387904}));
  EXPECT_EQ(parse_sizes("9223372036854775806..9223372036854775807:+1").size(), 2u);
}

TEST(ParseSizes, Faults) {
  for (const char* text : {"1..8", "1..8:", "1..8:4", "1..8:x", "8..1:x2", "0..8:x2", "1..8:x1", "1..8:+0",
                           "..8:x2", "1..:x2", "1,,2", "1..2^40:+1", "1...8:x2"}) {
    EXPECT_THROW(parse_sizes(text), Error) << text;
  }
  EXPECT_NE(error_of([] { parse_sizes("1..8"); }).find("needs a step"), std::string::npos);
}

std::vector<std::string> texts(const std::vector<Problem>& problems) {
  std::vector<std::string> result;
  for (const Problem& problem : problems) result.push_back(problem.text());
  return result;
}

TEST(ParseProblems, ProductOfEverythingWithoutRepeats) {
  const TemplatePtr spec = test::parse(test::sample_manifest);
  ProblemText text;
  text.types = {"T=half,f32", "T=float"};
  text.dims = {"width=8 n=2,4", "n=2"};
  EXPECT_EQ(texts(parse_problems(*spec, text)),
            (std::vector<std::string>{"T=f16 n=2 width=8", "T=f16 n=4 width=8", "T=f32 n=2 width=8",
                                      "T=f32 n=4 width=8"}));
}

TEST(ParseProblems, BareTypeAndAttributesAndClass) {
  const TemplatePtr spec = test::parse(test::sample_manifest);
  ProblemText text;
  text.types = {"half"};
  text.dims = {"n=1", "width=1"};
  text.attributes = {"sorted"};
  text.allowed.approx = true;
  EXPECT_EQ(texts(parse_problems(*spec, text)),
            (std::vector<std::string>{"T=f16 n=1 width=1 order=sorted numerics=approx"}));
}

TEST(ParseProblems, OnlyTypeNeedNotBeGiven) {
  const TemplatePtr spec = test::parse(changed(R"(["float", "__half"])", R"(["float"])"));
  ProblemText text;
  text.dims = {"n=1 width=1"};
  EXPECT_EQ(texts(parse_problems(*spec, text)), (std::vector<std::string>{"T=f32 n=1 width=1"}));
}

TEST(ParseProblems, FaultsSayWhatIsAllowed) {
  const TemplatePtr spec = test::parse(test::sample_manifest);
  const auto message = [&](ProblemText text) { return error_of([&] { parse_problems(*spec, text); }); };
  const std::vector<std::string> types{"half"}, dims{"n=1 width=1"};
  EXPECT_EQ(message({{"T=double"}, dims, {}, {}}),
            "type T cannot be 'double'; allowed: float, __half (or f32, f16)");
  EXPECT_EQ(message({{}, dims, {}, {}}),
            "type T of scale is not given; write --types T=f32; allowed: float, __half");
  EXPECT_EQ(message({{"U=half"}, dims, {}, {}}), "scale has no type 'U'; known: T");
  EXPECT_EQ(message({types, {"n=1"}, {}, {}}), "dim width of scale is not given; write --dims width=2^20");
  EXPECT_EQ(message({types, {"n=1 with=1"}, {}, {}}), "scale has no dim 'with'; did you mean 'width'?");
  EXPECT_EQ(message({types, {"n=0 width=1"}, {}, {}}), "dim n = 0 leaves nothing to do; give 1 or more");
  EXPECT_EQ(message({types, {"12"}, {}, {}}), "dim '12' lacks its name; write NAME=12; scale has n, width");
  EXPECT_EQ(message({types, {""}, {}, {}}), "empty dim; scale has n, width");
  EXPECT_EQ(message({types, {"n=-1 width=1"}, {}, {}}),
            "dim n: '-1' is no size: negative; write whole numbers such as 4096, 2^24 or 3*2^20");
  EXPECT_EQ(message({types, dims, {"order=random"}, {}}),
            "attribute order cannot be 'random'; allowed: any, sorted");
}

TEST(ParseProblems, ZeroWhereItIsAllowed) {
  ProblemText text{{"half"}, {"n=0 width=1"}, {}, {}, true};
  EXPECT_EQ(parse_problems(*test::parse(test::sample_manifest), text).front().dims.at("n"), 0);
}

}  // namespace
}  // namespace warptune::spec
