#include <warptune/base/error.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace warptune {
namespace {

TEST(Error, FullTextJoinsMessageAndHint) {
  const Error with_hint(ErrorKind::io, "cannot read x", "check the path", 13);
  EXPECT_STREQ(with_hint.what(), "cannot read x");
  EXPECT_EQ(with_hint.full_text(), "cannot read x; check the path");
  EXPECT_EQ(with_hint.native_code(), 13);
  EXPECT_EQ(Error(ErrorKind::usage, "no").full_text(), "no");
  EXPECT_EQ(Error(ErrorKind::usage, "no").native_code(), std::nullopt);
}

TEST(Error, EveryKindHasItsOwnName) {
  std::set<std::string> names;
  const int last = static_cast<int>(ErrorKind::internal);
  for (int kind = 0; kind <= last; ++kind) names.insert(to_string(static_cast<ErrorKind>(kind)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last) + 1);
  EXPECT_STREQ(to_string(ErrorKind::bad_input), "bad_input");
  EXPECT_STREQ(to_string(ErrorKind::out_of_memory), "out_of_memory");
}

}  // namespace
}  // namespace warptune
