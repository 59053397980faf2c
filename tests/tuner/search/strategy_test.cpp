// Conformance: every strategy of the registry, whatever it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include <warptune/base/error.hpp>
#include <warptune/spec/space.hpp>
#include <warptune/tuner/strategy.hpp>

#include "tests/tuner/support/mini_template.hpp"

namespace warptune::tuner {
namespace {

using test::h200;
using test::mini_problem;
using test::mini_template;
using ConfigSet = std::unordered_set<spec::Config, spec::ConfigHash>;

Outcome outcome_of(const spec::Config& config, OutcomeStatus status) {
  Outcome outcome;
  outcome.config = config;
  outcome.status = status;
  if (status == OutcomeStatus::ok)
    outcome.blocks_ns = {1000.0 + static_cast<double>(spec::ConfigHash{}(config) % 1000)};
  else
    outcome.reason = "planted";
  return outcome;
}

class StrategyConformance : public testing::TestWithParam<StrategyInfo> {
 protected:
  // All proposals in order, in batches of `batch`.
  static std::vector<spec::Config> exhaust(Strategy& strategy, std::size_t batch, OutcomeStatus status) {
    std::vector<spec::Config> all;
    for (;;) {
      const std::vector<spec::Config> configs = strategy.ask(batch);
      EXPECT_LE(configs.size(), batch);
      if (configs.empty()) return all;
      for (const spec::Config& config : configs) {
        all.push_back(config);
        strategy.tell(outcome_of(config, status));
      }
    }
  }
};

TEST_P(StrategyConformance, ProposesEveryValidConfigOnceAndEnds) {
  const spec::Space space(spec::Instance(mini_template(), mini_problem("__half"), h200()));
  for (const std::size_t batch : {std::size_t{1}, std::size_t{5}, std::size_t{1000}}) {
    const auto strategy = GetParam().make(space, 3);
    const std::vector<spec::Config> all = exhaust(*strategy, batch, OutcomeStatus::ok);
    EXPECT_EQ(all.size(), 12u);  // 4 THREADS x 3 PACK x 1 exact MODE
    EXPECT_EQ(ConfigSet(all.begin(), all.end()).size(), all.size());
    for (const spec::Config& config : all) EXPECT_TRUE(space.contains(config));
    EXPECT_TRUE(strategy->ask(4).empty());
  }
}

TEST_P(StrategyConformance, NeverProposesWhatItWasTold) {
  const spec::Space space(spec::Instance(mini_template(), mini_problem("float"), h200()));
  const auto strategy = GetParam().make(space, 3);
  const spec::Config known = test::mini_config(64, 1);
  strategy->tell(outcome_of(known, OutcomeStatus::ok));
  const std::vector<spec::Config> all = exhaust(*strategy, 3, OutcomeStatus::ok);
  EXPECT_EQ(all.size(), 7u);  // 4 THREADS x 2 PACK, less the one told
  EXPECT_EQ(std::count(all.begin(), all.end(), known), 0);
}

TEST_P(StrategyConformance, IsReproducibleFromItsSeed) {
  const spec::Space space(spec::Instance(mini_template(), mini_problem("__half"), h200()));
  const auto first = GetParam().make(space, 99), second = GetParam().make(space, 99);
  EXPECT_EQ(exhaust(*first, 2, OutcomeStatus::ok), exhaust(*second, 2, OutcomeStatus::ok));
}

TEST_P(StrategyConformance, SurvivesASpaceOfOne) {
  const auto spec =
      mini_template("\n[[constraint]]\nexpression = \"THREADS == 64 && PACK == 1\"\nwhy = \"one only\"\n");
  const spec::Space space(spec::Instance(spec, mini_problem("float"), h200()));
  const auto strategy = GetParam().make(space, 1);
  EXPECT_EQ(exhaust(*strategy, 8, OutcomeStatus::ok), std::vector<spec::Config>{test::mini_config(64, 1)});
}

TEST_P(StrategyConformance, SurvivesAnEmptySpace) {
  const auto spec = mini_template("\n[[constraint]]\nexpression = \"n < 0\"\nwhy = \"nothing fits\"\n");
  const spec::Space space(spec::Instance(spec, mini_problem("float"), h200()));
  EXPECT_TRUE(GetParam().make(space, 1)->ask(8).empty());
}

TEST_P(StrategyConformance, SurvivesASpaceWhereAllFail) {
  const spec::Space space(spec::Instance(mini_template(), mini_problem("float"), h200()));
  for (const OutcomeStatus status :
       {OutcomeStatus::compile_error, OutcomeStatus::crashed, OutcomeStatus::wrong_result}) {
    const auto strategy = GetParam().make(space, 1);
    EXPECT_EQ(exhaust(*strategy, 3, status).size(), 8u);
  }
}

TEST_P(StrategyConformance, StartsAtOnceOnAThousandMillionConfigs) {
  const spec::Space space(spec::Instance(test::huge_template(), mini_problem("float"), h200()));
  ASSERT_EQ(space.cartesian_size(), std::int64_t{1} << 30);
  const auto strategy = GetParam().make(space, 5);
  ConfigSet seen;
  for (int round = 0; round < 20; ++round) {
    for (const spec::Config& config : strategy->ask(50)) {
      EXPECT_TRUE(space.contains(config));
      EXPECT_TRUE(seen.insert(config).second);
      strategy->tell(outcome_of(config, OutcomeStatus::ok));
    }
  }
  EXPECT_EQ(seen.size(), 1000u);
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

TEST(RandomStrategy, OrderDependsOnTheSeed) {
  const spec::Space space(spec::Instance(mini_template(), mini_problem("__half"), h200()));
  std::set<std::string> first;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto strategy = find_strategy("random").make(space, seed);
    first.insert(spec::to_text(space.instance().spec(), strategy->ask(1).at(0)));
  }
  // 20 draws from 12 configs: fewer than 5 different ones has a chance below 1e-6.
  EXPECT_GE(first.size(), 5u);
}

TEST(RandomStrategy, SpreadsOverALargeSpace) {
  const spec::Space space(spec::Instance(test::huge_template(), mini_problem("float"), h200()));
  const auto strategy = find_strategy("random").make(space, 1);
  std::map<std::int64_t, int> threads;
  for (const spec::Config& config : strategy->ask(800)) ++threads[config.values[0].as_integer()];
  ASSERT_EQ(threads.size(), 8u);
  for (const auto& [value, count] : threads)
    EXPECT_NEAR(count, 100, 50) << value;  // over five standard deviations
}

}  // namespace
}  // namespace warptune::tuner
