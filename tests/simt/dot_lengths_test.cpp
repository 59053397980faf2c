// Every instantiation of dot, with every way to finish, at short lengths of all residues: all tails, one to
// three blocks.
#include <iostream>
#include <map>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/simt/dot_case.hpp"

namespace warptune::simt {
namespace {

constexpr std::int64_t longest = 1100;
constexpr int finishes[] = {two_pass, last_block, atomic};

struct Fills {
  explicit Fills(const std::string& type)
      : whole(type, Fill::whole, longest), uniform(type, Fill::uniform, longest) {}
  DotData whole, uniform;
};

const Fills& fills(const std::string& type) {
  static std::map<std::string, Fills> all;
  return all.try_emplace(type, type).first->second;
}

struct Group {
  const char* name;
  const char* type;
  bool half2;
  std::int64_t configs;  // instantiations times ways to finish
  std::int64_t cases;    // 69 lengths up to 1,100 for residues 0 to 12 of the config's number, else 68
};

void PrintTo(const Group& group, std::ostream* out) { *out << group.name; }

class DotLengths : public testing::TestWithParam<Group> {};

// Grids of one to three blocks, both orders and both fills take turns along the lengths, in all twelve
// combinations.
TEST_P(DotLengths, EveryConfigAtItsShareOfShortLengths) {
  const Group& group = GetParam();
  std::int64_t cases = 0;
  std::int64_t configs = 0;
  std::int64_t number = -1;
  for (const DotEntry& entry : dot_entries())
    for (const int finish : finishes) {
      ++number;
      if (entry.type != group.type || entry.half2 != group.half2) continue;
      ++configs;
      for (std::int64_t n = number % 16; n <= longest; n += 16) {
        const std::int64_t turn = n / 16 + number;
        const Order order = turn / 3 % 2 == 0 ? Order::forward : Order::reverse;
        const Fills& data = fills(entry.type);
        const DotCase test{&entry, static_cast<unsigned>(1 + turn % 3), finish, n, 0, 0, order};
        ASSERT_EQ(run_dot(test, turn / 6 % 2 == 0 ? data.whole : data.uniform), "");
        ++cases;
      }
    }
  std::cout << "dot at short lengths, " << group.name << ": " << configs << " configs, " << cases
            << " cases\n";
  EXPECT_EQ(configs, group.configs);
  EXPECT_EQ(cases, group.cases);
}

INSTANTIATE_TEST_SUITE_P(Types, DotLengths,
                         testing::Values(Group{"float", "float", false, 216, 14865},
                                         Group{"half", "__half", false, 288, 19818},
                                         Group{"half2", "__half", true, 216, 14862},
                                         Group{"bf16", "__nv_bfloat16", false, 288, 19818}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace warptune::simt
