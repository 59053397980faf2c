// Conformance: every strategy of the registry, whatever it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include <warptune/base/error.hpp>
#include <warptune/tuner/strategy.hpp>

#include "tests/tuner/support/mini_template.hpp"
#include "tuner/search/template_space.hpp"

namespace warptune::tuner {
namespace {

using test::h200;
using test::mini_problem;
using test::mini_template;
using PointSet = std::unordered_set<Point, PointHash>;

TemplateSpace space_of(const spec::TemplatePtr& spec, const std::string& type) {
  return TemplateSpace(spec::Instance(spec, mini_problem(type), h200()));
}

// 1000 to 1999, by the point's hash: no pattern to learn.
Observation timed(const Point& point) {
  return {point, 1000.0 + static_cast<double>(PointHash{}(point) % 1000), 0.01};
}
Observation failed(const Point& point) { return {point, std::nullopt, 0}; }
// A third of the points fail.
Observation mixed(const Point& point) { return PointHash{}(point) % 3 == 0 ? failed(point) : timed(point); }

class StrategyConformance : public testing::TestWithParam<StrategyInfo> {
 protected:
  static std::unique_ptr<Strategy> make(const SearchSpace& space, std::uint64_t seed) {
    StrategyOptions options;
    options.seed = seed;
    return GetParam().make(space, options);
  }

  // Proposals in order, asked for in batches of `batch`, until the space or `limit` is exhausted. Checks each.
  static std::vector<Point> run(const SearchSpace& space, Strategy& strategy, std::size_t batch,
                                Observation (*observe)(const Point&), std::size_t limit = 100000) {
    std::vector<Point> all;
    PointSet seen;
    while (all.size() < limit) {
      const std::vector<Point> points = strategy.ask(std::min(batch, limit - all.size()));
      EXPECT_LE(points.size(), batch);
      if (points.empty()) return all;
      for (const Point& point : points) {
        EXPECT_TRUE(space.contains(point));
        EXPECT_TRUE(seen.insert(point).second) << "proposed twice";
        all.push_back(point);
      }
      for (const Point& point : points) strategy.tell(observe(point));
    }
    return all;
  }
};

TEST_P(StrategyConformance, ProposesEveryValidPointOnceAndEnds) {
  const TemplateSpace space = space_of(mini_template(), "__half");
  for (const auto observe : {timed, failed, mixed}) {
    for (const std::size_t batch : {std::size_t{1}, std::size_t{5}, std::size_t{1000}}) {
      const auto strategy = make(space, 3);
      EXPECT_EQ(run(space, *strategy, batch, observe).size(), 12u);  // 4 THREADS x 3 PACK x 1 exact MODE
      EXPECT_TRUE(strategy->ask(4).empty());
    }
  }
}

TEST_P(StrategyConformance, NeverProposesWhatItWasTold) {
  const TemplateSpace space = space_of(mini_template(), "float");
  const auto strategy = make(space, 3);
  const Point known = space.point(test::mini_config(64, 1));
  strategy->tell(timed(known));
  const std::vector<Point> all = run(space, *strategy, 3, timed);
  EXPECT_EQ(all.size(), 7u);  // 4 THREADS x 2 PACK, less the one told
  EXPECT_EQ(std::count(all.begin(), all.end(), known), 0);
}

TEST_P(StrategyConformance, IsReproducibleFromItsSeed) {
  const TemplateSpace space = space_of(test::huge_template(), "float");
  const auto first = make(space, 99), second = make(space, 99);
  EXPECT_EQ(run(space, *first, 2, mixed, 60), run(space, *second, 2, mixed, 60));
}

TEST_P(StrategyConformance, MayBeAskedAgainBeforeItIsTold) {
  const TemplateSpace space = space_of(test::huge_template(), "float");
  const auto strategy = make(space, 4);
  PointSet seen;
  std::vector<Point> untold;
  for (int round = 0; round < 20; ++round) {
    for (const Point& point : strategy->ask(2)) {
      EXPECT_TRUE(seen.insert(point).second);
      untold.push_back(point);
    }
    if (round < 5) continue;  // ten are out, and stay out, from here on
    for (int i = 0; i < 2; ++i) {
      strategy->tell(mixed(untold.front()));
      untold.erase(untold.begin());
    }
  }
  EXPECT_EQ(seen.size(), 40u);
}

TEST_P(StrategyConformance, SurvivesASpaceOfOne) {
  const TemplateSpace space = space_of(
      mini_template("\n[[constraint]]\nexpression = \"THREADS == 64 && PACK == 1\"\nwhy = \"one only\"\n"),
      "float");
  const auto strategy = make(space, 1);
  EXPECT_EQ(run(space, *strategy, 8, timed), std::vector<Point>{space.point(test::mini_config(64, 1))});
}

TEST_P(StrategyConformance, SurvivesAnEmptySpace) {
  const TemplateSpace space =
      space_of(mini_template("\n[[constraint]]\nexpression = \"n < 0\"\nwhy = \"nothing fits\"\n"), "float");
  EXPECT_TRUE(make(space, 1)->ask(8).empty());
}

TEST_P(StrategyConformance, StaysQuickOnAThousandMillionConfigs) {
  const TemplateSpace space = space_of(test::huge_template(), "float");
  ASSERT_EQ(space.cartesian_size(), std::int64_t{1} << 30);
  const auto strategy = make(space, 5);
  EXPECT_EQ(run(space, *strategy, 25, mixed, 200).size(), 200u);
}

// 8^4 of 2^30 combinations are valid.
TEST_P(StrategyConformance, StaysQuickWhereFewOfAThousandMillionAreValid) {
  const TemplateSpace space = space_of(
      test::huge_template(
          "[[constraint]]\nexpression = \"EXTRA_0 == EXTRA_1 && EXTRA_2 == EXTRA_3\"\nwhy = \"tied\"\n"
          "[[constraint]]\nexpression = \"EXTRA_4 == EXTRA_5 && EXTRA_6 == EXTRA_7\"\nwhy = "
          "\"tied\"\n"
          "[[constraint]]\nexpression = \"THREADS == 64 && PACK == 1\"\nwhy = \"tied\"\n"),
      "float");
  ASSERT_EQ(space.listing_cost(), 4096);
  const auto strategy = make(space, 5);
  EXPECT_EQ(run(space, *strategy, 25, mixed, 30).size(), 30u);
}

TEST_P(StrategyConformance, TakesGuessesAndSkipsWrongOnes) {
  const TemplateSpace space = space_of(mini_template(), "__half");
  StrategyOptions options;
  options.guesses = {{0, 0, 1}, space.point(test::mini_config(64, 1)), space.point(test::mini_config(64, 1))};
  ASSERT_FALSE(space.contains(options.guesses.front()));
  const auto strategy = GetParam().make(space, options);
  EXPECT_EQ(run(space, *strategy, 5, timed).size(), 12u);
}

INSTANTIATE_TEST_SUITE_P(Registry, StrategyConformance, testing::ValuesIn(strategies()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Strategies, UnknownNameSuggestsTheNearest) {
  try {
    find_strategy("exhaustve");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_NE(error.full_text().find("exhaustive"), std::string::npos) << error.full_text();
  }
}

TEST(Strategies, NamesThePartsThatMayBeLeftOut) {
  ModelParts parts;
  leave_out(parts, "failures");
  EXPECT_FALSE(parts.failures);
  EXPECT_TRUE(parts.features);
  EXPECT_THROW(leave_out(parts, "failure"), Error);
}

TEST(RandomStrategy, OrderDependsOnTheSeed) {
  const TemplateSpace space = space_of(mini_template(), "__half");
  std::set<Point> first;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    StrategyOptions options;
    options.seed = seed;
    first.insert(find_strategy("random").make(space, options)->ask(1).at(0));
  }
  // 20 draws from 12 points: fewer than 5 different ones has a chance below 1e-6.
  EXPECT_GE(first.size(), 5u);
}

TEST(RandomStrategy, SpreadsOverALargeSpace) {
  const TemplateSpace space = space_of(test::huge_template(), "float");
  const auto strategy = find_strategy("random").make(space, {});
  std::map<int, int> first;
  for (const Point& point : strategy->ask(800)) ++first[point[0]];
  ASSERT_EQ(first.size(), 8u);
  for (const auto& [value, count] : first)
    EXPECT_NEAR(count, 100, 50) << value;  // over five standard deviations
}

}  // namespace
}  // namespace warptune::tuner
