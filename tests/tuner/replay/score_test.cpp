// The scores of a search, against values worked out by hand.
#include <gtest/gtest.h>

#include "tuner/replay/score.hpp"

namespace warptune::tuner {
namespace {

RecordedSpace space_of(const std::vector<std::optional<double>>& times_ms) {
  RecordedTable table{{"x"}, {}};
  for (std::size_t i = 0; i < times_ms.size(); ++i)
    table.rows.push_back({{std::to_string(i)}, times_ms[i], {}});
  return RecordedSpace("made", table, {});
}

TEST(Score, IsTheFractionOfTheOptimumAtTheBudget) {
  const Trace trace = {std::nullopt, 4.0, 2.0};
  EXPECT_EQ(fraction_of_optimum(trace, 1, 1.0), 0);
  EXPECT_EQ(fraction_of_optimum(trace, 2, 1.0), 0.25);
  EXPECT_EQ(fraction_of_optimum(trace, 3, 1.0), 0.5);
  EXPECT_EQ(fraction_of_optimum(trace, 100, 1.0), 0.5) << "the search ended before the budget";
  EXPECT_EQ(fraction_of_optimum({}, 5, 1.0), 0);
}

// Valid times 1, 2, 3, 4: the best of t draws has the expected rank floor(5 / (t + 1)): 2, then 1.
TEST(RandomBaseline, GoesByTheExpectedRankAmongTheValid) {
  const RandomBaseline baseline(space_of({4, std::nullopt, 1, 3, 2}));
  EXPECT_EQ(baseline.median_ms(), 2.5);
  EXPECT_EQ(baseline.optimum_ms(), 1);
  EXPECT_EQ(baseline.best_ms(1), 2);
  EXPECT_EQ(baseline.best_ms(2), 1);
  EXPECT_EQ(baseline.best_ms(50), 1);
  // 2.5 - 0.95 * 1.5 = 1.075 is first undercut by two draws.
  EXPECT_EQ(baseline.cut_off(500), 2u);
  EXPECT_EQ(baseline.cut_off(1), 1u);
}

TEST(ScoreP, IsZeroForRandomAndOneForTheOptimumAtOnce) {
  const RandomBaseline baseline(space_of({4, 1, 3, 2}));
  const std::vector<Trace> like_random = {{2, 1}}, at_once = {{1, 1}}, worse = {{3, 1}},
                           nothing = {{std::nullopt}};
  EXPECT_EQ(score_p(like_random, baseline, 500), 0);
  EXPECT_EQ(score_p(at_once, baseline, 500), 1);
  EXPECT_EQ(score_p(worse, baseline, 500), -1);
  EXPECT_EQ(score_p(nothing, baseline, 500), -0.5) << "the median counts while nothing valid was found";
  const std::vector<Trace> mixed = {{1, 1}, {3, 1}};
  EXPECT_EQ(score_p(mixed, baseline, 500), 0) << "the mean over the traces";
}

}  // namespace
}  // namespace warptune::tuner
