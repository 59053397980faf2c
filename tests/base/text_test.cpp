#include <warptune/base/text.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace warptune {
namespace {

TEST(Text, Trim) {
  EXPECT_EQ(trim("  a b\t\r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, SplitKeepsPartsAsTheyStand) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split("a, b,,c", ','), (Parts{"a", " b", "", "c"}));
  EXPECT_EQ(split("", ','), Parts{""});
  EXPECT_EQ(split("a,", ','), (Parts{"a", ""}));
}

TEST(Text, OneLineHoldsNothingThatSteersATerminal) {
  EXPECT_EQ(one_line("a\nb\tc\x1b[2Jd\x7f"), "a b c [2Jd ");
  EXPECT_EQ(one_line("\xC2\x9B"
                     "31m"),
            " 31m")
      << "the control sequence introducer of UTF-8's second page";
  EXPECT_EQ(one_line("\xC2\xB5s \xC3\xA9"), "\xC2\xB5s \xC3\xA9") << "letters stay";
  EXPECT_EQ(one_line("\xC2"), "\xC2");
}

TEST(Text, EditDistanceCountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("pack", "PACK"), 0u);
  EXPECT_EQ(edit_distance("PACK", "PAKC"), 1u);
  EXPECT_EQ(edit_distance("PACK", "PACKS"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Text, NearestNameOnlyForSlips) {
  const std::vector<std::string> known{"NUM_THREADS", "PACK", "UNROLL"};
  EXPECT_EQ(nearest_name("NUM_THREAD", known), "NUM_THREADS");
  EXPECT_EQ(nearest_name("unrol", known), "UNROLL");
  EXPECT_EQ(nearest_name("blocks", known), std::nullopt);
  EXPECT_EQ(name_hint("PACL", known), "did you mean 'PACK'?");
  EXPECT_EQ(name_hint("zzz", known), "known: NUM_THREADS, PACK, UNROLL");
  EXPECT_EQ(name_hint("zzz", {}), "");
}

TEST(Text, ShortNamesAreNotTakenForEachOther) {
  const std::vector<std::string> known{"n"};
  EXPECT_EQ(nearest_name("m", known), std::nullopt);
  EXPECT_EQ(nearest_name("N", known), "n");
}

}  // namespace
}  // namespace warptune
