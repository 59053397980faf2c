// Drawing what is left of a space of many constraints.
#include "tuner/search/proposals.hpp"

#include <gtest/gtest.h>

#include <set>

namespace warptune::tuner {
namespace {

// 300 valid points among 2^20 combinations: the pairs (i, 3 i). Counts draws, which such a space makes expensive.
class SparseSpace final : public SearchSpace {
 public:
  SparseSpace() : SearchSpace({axis("A"), axis("B")}) {}
  bool contains(const Point& point) const override { return point[0] < 300 && point[1] == point[0] * 3; }
  std::optional<Point> sample(std::mt19937_64& random) const override {
    ++draws;
    return point(static_cast<std::uint16_t>(random() % 300));
  }
  void for_each(const std::function<bool(const Point&)>& visit) const override {
    ++walks;
    for (std::uint16_t i = 0; i < 300; ++i)
      if (!visit(point(i))) return;
  }

  mutable int draws = 0, walks = 0;

 private:
  static Parameter axis(const char* name) {
    Parameter parameter{name, {}, true};
    for (int i = 0; i < 1024; ++i) parameter.values.push_back(i);
    return parameter;
  }
  static Point point(std::uint16_t i) { return {i, static_cast<std::uint16_t>(i * 3)}; }
};

TEST(Proposals, WhatIsLeftOfASparseSpaceIsListedAndNotDrawn) {
  const SparseSpace space;
  Proposals proposals(space, 1);
  EXPECT_FALSE(proposals.listed()) << "2^20 combinations are not walked at the start";
  std::set<Point> seen;
  while (const auto point = proposals.random_fresh()) {
    EXPECT_TRUE(space.contains(*point));
    EXPECT_TRUE(seen.insert(*point).second) << "known already";
    proposals.add(*point);
  }
  EXPECT_EQ(seen.size(), 300U);
  // Drawing to the end takes 300 (1 + 1/2 + ... + 1/300), some 1,885, and then 256 for each fruitless search.
  EXPECT_LT(space.draws, 1200);
  EXPECT_EQ(space.walks, 1);
}

}  // namespace
}  // namespace warptune::tuner
