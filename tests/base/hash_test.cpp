#include <warptune/base/hash.hpp>

#include <gtest/gtest.h>

namespace warptune {
namespace {

TEST(Hash, KnownValueOfTheEmptyString) {
  // XXH3, 128 bits, seed 0, from the algorithm's own test vectors.
  EXPECT_EQ(hash_hex(""), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash, FieldsDoNotRunTogether) {
  EXPECT_EQ(Hasher().field("ab").field("c").hex(), Hasher().field("ab").field("c").hex());
  EXPECT_NE(Hasher().field("ab").field("c").hex(), Hasher().field("a").field("bc").hex());
  EXPECT_NE(Hasher().field("").hex(), Hasher().hex());
  EXPECT_EQ(Hasher().field("x").hex().size(), 32u);
}

}  // namespace
}  // namespace warptune
