#include <warptune/spec/problem.hpp>

#include <gtest/gtest.h>

#include <warptune/base/error.hpp>

namespace warptune::spec {
namespace {

TEST(Numerics, KeyAndParseAgree) {
  for (const char* key : {"exact", "approx", "nondeterministic", "approx+nondeterministic"}) {
    EXPECT_EQ(Numerics::parse(key).key(), key);
  }
  EXPECT_THROW(Numerics::parse("fast"), Error);
  EXPECT_THROW(Numerics::parse("nondeterministic+approx"), Error);
}

TEST(Numerics, Covers) {
  const Numerics exact{}, approx{true, false}, both{true, true};
  EXPECT_TRUE(approx.covers(exact));
  EXPECT_FALSE(exact.covers(approx));
  EXPECT_FALSE(approx.covers(both));
  EXPECT_TRUE(both.covers(approx));
}

TEST(Problem, TextShowsAliasesAndWhatDiffersFromTheUsual) {
  Problem problem;
  problem.types["T"] = "__nv_bfloat16";
  problem.dims["n"] = 16777216;
  problem.attributes["ids"] = "any";
  EXPECT_EQ(problem.text(), "T=bf16 n=16777216");
  problem.attributes["ids"] = "sorted";
  problem.allowed.approx = true;
  EXPECT_EQ(problem.text(), "T=bf16 n=16777216 ids=sorted numerics=approx");
}

TEST(DeviceTraits, LimitByName) {
  DeviceTraits device;
  device.sm_count = 132;
  device.max_shared_bytes = 232448;
  device.memory_bytes = 150754820096;  // 140.4 GiB
  EXPECT_EQ(device.limit("sm_count"), 132);
  EXPECT_EQ(device.limit("max_shared_bytes"), 232448);
  EXPECT_EQ(device.limit("memory_gib"), 140);
  EXPECT_EQ(device.limit("max_grid_y"), 65535);
  EXPECT_EQ(device.limit("model"), std::nullopt);
  for (const std::string& name : device_limit_names()) EXPECT_TRUE(device.limit(name).has_value()) << name;
}

}  // namespace
}  // namespace warptune::spec
