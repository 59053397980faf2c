// Every instantiation of dot, with every way to finish, at all short lengths, in grids of one to three
// blocks, in both orders. About two hours under sanitizers, so by hand: ctest -C exhaustive -L exhaustive
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/simt/dot_case.hpp"

namespace warptune::simt {
namespace {

constexpr std::int64_t longest = 1100;

class DotExhaustive : public testing::TestWithParam<std::string> {};

TEST_P(DotExhaustive, EveryConfigAtAllShortLengths) {
  const std::string& type = GetParam();
  const DotData whole(type, Fill::whole, longest);
  const DotData uniform(type, Fill::uniform, longest);
  std::int64_t instantiations = 0;
  std::int64_t cases = 0;
  for (const DotEntry& entry : dot_entries()) {
    if (entry.type != type) continue;
    ++instantiations;
    for (const int finish : {two_pass, last_block, atomic})
      for (std::int64_t n = 0; n <= longest; ++n)
        for (unsigned blocks = 1; blocks <= 3; ++blocks)
          for (const Order order : {Order::forward, Order::reverse}) {
            const bool whole_numbers = (order == Order::forward) == (n % 2 == 0);
            ASSERT_EQ(run_dot({&entry, blocks, finish, n, 0, 0, order}, whole_numbers ? whole : uniform), "");
            ++cases;
          }
  }
  std::cout << "dot at all short lengths, " << type << ": " << cases << " cases\n";
  EXPECT_EQ(instantiations, type == "float" ? 72 : type == "__half" ? 168 : 96);
  EXPECT_EQ(cases, instantiations * 3 * 1101 * 3 * 2);
}

INSTANTIATE_TEST_SUITE_P(Types, DotExhaustive, testing::Values("float", "__half", "__nv_bfloat16"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace warptune::simt
