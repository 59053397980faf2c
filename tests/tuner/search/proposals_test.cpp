// Drawing what is left of a space of many constraints.
#include "tuner/search/proposals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

// A space of which draws find nothing, as where one constraint ties everything together, is walked.
class UndrawableSpace final : public SearchSpace {
 public:
  UndrawableSpace()
      : SearchSpace(
            {{"A", std::vector<double>(60000, 1), true}, {"B", std::vector<double>(60000, 1), true}}) {}
  bool contains(const Point& point) const override { return point[0] < 100 && point[1] == 0; }
  std::optional<Point> sample(std::mt19937_64&) const override {
    ++draws;
    return std::nullopt;
  }
  void for_each(const std::function<bool(const Point&)>& visit) const override {
    for (std::uint16_t i = 0; i < 100; ++i) {
      ++visited;
      if (!visit({i, 0})) return;
    }
  }
  mutable int draws = 0, visited = 0;
};

TEST(Proposals, WhatDrawsDoNotFindIsWalkedAndNoneIsLost) {
  const UndrawableSpace space;
  Proposals proposals(space, 1);
  EXPECT_TRUE(proposals.pool(50).empty());
  std::set<Point> seen;
  while (const auto point = proposals.random_fresh()) {
    EXPECT_EQ(proposals.random_fresh(), point) << "it was not added yet";
    EXPECT_TRUE(seen.insert(*point).second);
    proposals.add(*point);
  }
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_LE(space.draws, 2 * (2 * 100 + 1) + 1) << "two fruitless draws each time";
  EXPECT_LE(space.visited, 300) << "walks repeat at most one walk more";
}

// 2^20 combinations, all valid.
class WideSpace final : public SearchSpace {
 public:
  WideSpace()
      : SearchSpace({{"A", std::vector<double>(1024, 1), true}, {"B", std::vector<double>(1024, 1), true}}) {}
  bool contains(const Point&) const override { return true; }
  std::optional<Point> sample(std::mt19937_64& random) const override {
    ++draws;
    return Point{static_cast<std::uint16_t>(random() % 1024), static_cast<std::uint16_t>(random() % 1024)};
  }
  void for_each(const std::function<bool(const Point&)>&) const override {}
  mutable int draws = 0;
};

TEST(Proposals, ThePoolKeepsMostOfItsPoints) {
  const WideSpace space;
  Proposals proposals(space, 1);
  const std::vector<Point> first = proposals.pool(100);
  EXPECT_EQ(first.size(), 100U);
  proposals.add(first.back());
  const std::vector<Point> second = proposals.pool(100);
  EXPECT_EQ(second.size(), 100U);
  EXPECT_EQ(space.draws, 100 + 25);
  EXPECT_EQ(std::count(second.begin(), second.end(), first.back()), 0) << "known by now";
  EXPECT_EQ(std::count(second.begin(), second.end(), first.front()), 0) << "the oldest give way";
  EXPECT_EQ(std::count(second.begin(), second.end(), first[50]), 1);
}

}  // namespace
}  // namespace warptune::tuner
