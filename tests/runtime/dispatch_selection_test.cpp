// Which record serves which problem: the rules of Selector, without device or database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/runtime/problem_key.hpp>
#include <warptune/runtime/selection.hpp>

#include "tests/runtime/dispatch_fixture.hpp"

namespace warptune::testing {
namespace {

using runtime::Match;
using runtime::Ranking;
using runtime::SelectionRules;
using runtime::Selector;
using ::testing::HasSubstr;

spec::Instance tally_instance(const spec::Numerics& allowed = {}) {
  spec::Problem problem;
  problem.types = {{"T", "float"}};
  problem.dims = {{"n", 1}, {"k", 1}};
  problem.allowed = allowed;
  return spec::Instance(tally(), problem, stub_traits());
}

db::Toolchain present() { return tally_winner({}).toolchain; }

Ranking rank(const std::vector<db::StoredWinner>& rows, std::int64_t n, std::int64_t k,
             std::int64_t alignment, const SelectionRules& rules = {}) {
  return Selector(tally_instance(), rules, rows).rank({{"n", n}, {"k", k}}, alignment, present());
}

// The one record there is, and why it was not used.
std::string why_passed_over(const db::StoredWinner& row, std::int64_t n = 1024, std::int64_t k = 1,
                            std::int64_t alignment = 16) {
  const Ranking ranking = rank({row}, n, k, alignment);
  EXPECT_EQ(ranking.candidates.size(), 1U);
  EXPECT_EQ(ranking.candidates.front().selection.match, Match::default_config);
  EXPECT_EQ(ranking.passed_over.size(), 1U);
  return ranking.passed_over.empty() ? "" : ranking.passed_over.front().reason;
}

TallyRow packed() { return {.config = tally_config(128, 4, "one"), .alignment_bytes = 16}; }

TEST(Selection, NothingTunedGivesTheDefault) {
  const Ranking ranking = rank({}, 1024, 1, 16);
  ASSERT_EQ(ranking.candidates.size(), 1U);
  EXPECT_EQ(ranking.candidates[0].selection.match, Match::default_config);
  EXPECT_EQ(ranking.candidates[0].selection.config, "BLOCK=64 PACK=1 MODE=one");
  EXPECT_EQ(ranking.candidates[0].config, tally()->default_config);
  EXPECT_THAT(ranking.candidates[0].selection.reason, HasSubstr("nothing was tuned"));
  EXPECT_FALSE(ranking.candidates[0].selection.expected_ns.has_value());
}

TEST(Selection, EqualDimsAreTuned) {
  const Ranking ranking = rank({tally_winner(packed())}, 1024, 1, 16);
  ASSERT_EQ(ranking.candidates.size(), 2U);
  const runtime::Selection& selection = ranking.candidates[0].selection;
  EXPECT_EQ(selection.match, Match::tuned);
  EXPECT_EQ(selection.config, "BLOCK=128 PACK=4 MODE=one");
  EXPECT_EQ(selection.tuned_dims, (std::map<std::string, std::int64_t>{{"n", 1024}, {"k", 1}}));
  EXPECT_EQ(selection.log2_distance, 0);
  EXPECT_EQ(selection.alignment_bytes, 16);
  EXPECT_EQ(selection.expected_ns, 1000.0);
  EXPECT_FALSE(selection.other_toolchain);
  EXPECT_TRUE(ranking.passed_over.empty());
}

TEST(Selection, TheNearerOfTwoTunedProblemsServes) {
  const auto near = tally_winner({.n = 2048, .config = tally_config(128, 1, "one")});
  const auto far = tally_winner({.n = 16384, .config = tally_config(256, 1, "one")});
  // log2(4096 / 2048) = 1, log2(16384 / 4096) = 2
  const Ranking ranking = rank({far, near}, 4096, 1, 16);
  ASSERT_EQ(ranking.candidates.size(), 3U);
  EXPECT_EQ(ranking.candidates[0].selection.match, Match::nearest);
  EXPECT_EQ(ranking.candidates[0].selection.config, "BLOCK=128 PACK=1 MODE=one");
  EXPECT_DOUBLE_EQ(ranking.candidates[0].selection.log2_distance, 1.0);
  EXPECT_FALSE(ranking.candidates[0].selection.expected_ns.has_value());
  EXPECT_DOUBLE_EQ(ranking.candidates[1].selection.log2_distance, 2.0);
}

TEST(Selection, TunedComesBeforeNearestWhateverThePolicy) {
  const auto exact_hot = tally_winner({.config = tally_config(32, 1, "one"), .policy = "hot"});
  const auto near_cold = tally_winner({.n = 1025, .config = tally_config(128, 1, "one")});
  const Ranking ranking = rank({near_cold, exact_hot}, 1024, 1, 16);
  EXPECT_EQ(ranking.candidates[0].selection.config, "BLOCK=32 PACK=1 MODE=one");
}

TEST(Selection, ThePolicyNamedFirstDecides) {
  const auto cold = tally_winner({.config = tally_config(32, 1, "one")});
  const auto hot = tally_winner({.config = tally_config(128, 1, "one"), .policy = "hot"});
  EXPECT_EQ(rank({hot, cold}, 1024, 1, 16).candidates[0].selection.config, "BLOCK=32 PACK=1 MODE=one");
  EXPECT_EQ(rank({hot, cold}, 1024, 1, 16, {.policies = {"hot", "cold"}}).candidates[0].selection.config,
            "BLOCK=128 PACK=1 MODE=one");
  const Ranking only_hot = rank({cold}, 1024, 1, 16, {.policies = {"hot"}});
  EXPECT_EQ(only_hot.candidates.size(), 1U);
  EXPECT_THAT(only_hot.passed_over[0].reason, HasSubstr("cold"));
}

TEST(Selection, H09NothingIsUsedFarFromItsShape) {
  const auto row = tally_winner({.config = tally_config(128, 1, "one")});
  EXPECT_THAT(why_passed_over(row, 1024 * 100'000LL), HasSubstr("too far"));
  EXPECT_THAT(why_passed_over(row, 1), HasSubstr("too far"));
  // The bound of 2 octaves itself is within.
  EXPECT_EQ(rank({row}, 4096, 1, 16).candidates[0].selection.match, Match::nearest);
  EXPECT_EQ(rank({row}, 4097, 1, 16).candidates[0].selection.match, Match::default_config);
  EXPECT_EQ(rank({row}, 256, 1, 16).candidates[0].selection.match, Match::nearest);
  EXPECT_EQ(rank({row}, 255, 1, 16).candidates[0].selection.match, Match::default_config);
  EXPECT_EQ(rank({row}, 4097, 1, 16, {.nearest_bound_log2 = 3}).candidates[0].selection.match,
            Match::nearest);
}

TEST(Selection, NoElementsCountAsOneForTheDistance) {
  const auto row = tally_winner({.n = 2, .config = tally_config(128, 1, "one")});
  const Ranking ranking = rank({row}, 0, 1, 16);
  EXPECT_EQ(ranking.candidates[0].selection.match, Match::nearest);
  EXPECT_DOUBLE_EQ(ranking.candidates[0].selection.log2_distance, 1.0);
}

TEST(Selection, KeyDimsMustBeEqual) {
  EXPECT_THAT(why_passed_over(tally_winner(packed()), 1024, 2), HasSubstr("k=1"));
}

TEST(Selection, OtherDimsNeedRaggedVerification) {
  const auto row = tally_winner({.config = tally_config(128, 1, "one"), .verified_ragged = false});
  EXPECT_THAT(why_passed_over(row, 1025), HasSubstr("own dims only"));
  EXPECT_EQ(rank({row}, 1024, 1, 16).candidates[0].selection.match, Match::tuned);
}

TEST(Selection, ConstraintsAreCheckedAtTheDimsAsked) {
  EXPECT_THAT(why_passed_over(tally_winner(packed()), 1022), HasSubstr("packs must divide n"));
  EXPECT_EQ(rank({tally_winner(packed())}, 1020, 1, 16).candidates[0].selection.match, Match::nearest);
}

TEST(Selection, H19TheLargestClassThatThePointersGiveServes) {
  const auto packed4 = tally_winner(packed());
  const auto packed2 = tally_winner({.config = tally_config(128, 2, "one"), .alignment_bytes = 8});
  const auto packed1 = tally_winner({.config = tally_config(128, 1, "one"), .alignment_bytes = 4});
  const auto first = [&](std::int64_t alignment) {
    return rank({packed1, packed2, packed4}, 1024, 1, alignment).candidates[0].selection.config;
  };
  EXPECT_EQ(first(16), "BLOCK=128 PACK=4 MODE=one");
  EXPECT_EQ(first(8), "BLOCK=128 PACK=2 MODE=one");
  EXPECT_EQ(first(4), "BLOCK=128 PACK=1 MODE=one");
  EXPECT_THAT(why_passed_over(packed4, 1024, 1, 8), HasSubstr("aligned to 16"));
}

TEST(Selection, AConfigThatNeedsMoreThanItsRecordSaysIsNotTrusted) {
  const auto row = tally_winner({.config = tally_config(128, 4, "one"), .alignment_bytes = 4});
  EXPECT_THAT(why_passed_over(row, 1024, 1, 4), HasSubstr("aligned to 16"));
}

TEST(Selection, ReplayedRowsAreIgnored) {
  auto row = tally_winner(packed());
  row.origin = db::Origin::replayed;
  EXPECT_THAT(why_passed_over(row), HasSubstr("replayed"));
}

TEST(Selection, H05AnotherTemplateHashIsStale) {
  auto row = tally_winner(packed());
  row.problem.template_hash = "0123";
  EXPECT_THAT(why_passed_over(row), HasSubstr("template changed"));
}

TEST(Selection, OtherTypesAttributesNumericsAndKernelsDoNotServe) {
  auto row = tally_winner(packed());
  row.problem.types["T"] = "double";
  EXPECT_THAT(why_passed_over(row), HasSubstr("T=double"));
  row = tally_winner(packed());
  row.problem.attributes["ids"] = "zipf";
  EXPECT_THAT(why_passed_over(row), HasSubstr("ids=zipf"));
  row = tally_winner(packed());
  row.problem.numerics = "approx";
  EXPECT_THAT(why_passed_over(row), HasSubstr("approx"));
  row = tally_winner(packed());
  row.problem.kernel = "other";
  const Ranking ranking = rank({row}, 1024, 1, 16);
  EXPECT_EQ(ranking.candidates.size(), 1U);
  EXPECT_TRUE(ranking.passed_over.empty());
}

TEST(Selection, H06AnotherDeviceDoesNotMatchInAnyOfItsParts) {
  const auto with = [](auto change) {
    auto row = tally_winner(packed());
    change(row.problem.device);
    return row;
  };
  EXPECT_THAT(why_passed_over(with([](db::DeviceKey& key) { key.model = "Other GPU"; })),
              HasSubstr("Other GPU"));
  EXPECT_THAT(why_passed_over(with([](db::DeviceKey& key) { key.compute_capability = 80; })),
              HasSubstr("sm_80"));
  EXPECT_THAT(why_passed_over(with([](db::DeviceKey& key) { key.sm_count += 1; })),
              HasSubstr("another device"));
  EXPECT_THAT(why_passed_over(with([](db::DeviceKey& key) { key.l2_bytes += 1; })),
              HasSubstr("another device"));
  EXPECT_THAT(why_passed_over(with([](db::DeviceKey& key) { key.memory_gib += 1; })),
              HasSubstr("another device"));
}

TEST(Selection, H06AnotherDriverOrCompilerIsUsedAndMarked) {
  const auto marked = [](auto change) {
    auto row = tally_winner(packed());
    change(row.toolchain);
    const Ranking ranking = rank({row}, 1024, 1, 16);
    const runtime::Selection& selection = ranking.candidates[0].selection;
    EXPECT_EQ(selection.match, Match::tuned);
    EXPECT_EQ(selection.reason.find("another driver or NVRTC") != std::string::npos,
              selection.other_toolchain);
    EXPECT_EQ(selection.staleness.empty(), !selection.other_toolchain);
    return selection.other_toolchain;
  };
  EXPECT_FALSE(marked([](db::Toolchain&) {}));
  EXPECT_TRUE(marked([](db::Toolchain& toolchain) { toolchain.driver_version += 10; }));
  EXPECT_TRUE(marked([](db::Toolchain& toolchain) { toolchain.nvrtc_version = "12.4"; }));
  EXPECT_TRUE(marked([](db::Toolchain& toolchain) { toolchain.headers_hash = "other"; }));
  // What only one side knows cannot be compared, and warptune's own version changes no code.
  EXPECT_FALSE(marked([](db::Toolchain& toolchain) { toolchain.nvrtc_version.clear(); }));
  EXPECT_FALSE(marked([](db::Toolchain& toolchain) { toolchain.warptune_version = "0.0.9"; }));
}

TEST(Selection, H06ItIsSaidWhatDiffers) {
  auto row = tally_winner(packed());  // by CUDA 13.0
  row.toolchain.driver_version = 12080;
  row.toolchain.driver_name = "570.1";
  const Ranking ranking = rank({row}, 1024, 1, 16);
  EXPECT_EQ(ranking.candidates[0].selection.staleness,
            "CUDA of the driver 12.8 then, 13.0 now; driver 570.1 then, stub now");
}

TEST(Selection, H04ConfigsThatCannotBeReadOrRunAreFaults) {
  const auto fault = [](const db::NamedValues& config) {
    const Selector selector(tally_instance(), {}, {tally_winner({.config = config})});
    EXPECT_EQ(selector.rank({{"n", 1024}, {"k", 1}}, 16, present()).candidates.size(), 1U);
    EXPECT_EQ(selector.faults().size(), 1U);
    return selector.faults().empty() ? "" : selector.faults().front();
  };
  EXPECT_THAT(fault({{"BLOCK", 64}, {"PACK", 1}, {"MODE", "one"}, {"WARPS", 4}}), HasSubstr("WARPS"));
  EXPECT_THAT(fault({{"BLOCK", 64}, {"PACK", 1}}), HasSubstr("MODE"));
  EXPECT_THAT(fault(tally_config(65, 1, "one")), HasSubstr("65"));
  EXPECT_THAT(fault(tally_config(64, 1, "three")), HasSubstr("three"));
  EXPECT_THAT(fault(tally_config(2048, 1, "one")), HasSubstr("2048"));  // more threads than a block may have
  EXPECT_THAT(fault(tally_config(64, 1, "fast")),
              HasSubstr("MODE=fast"));  // a class that the caller does not allow
}

TEST(Selection, AnAllowedClassServesUnderItsOwnKey) {
  auto row = tally_winner({.config = tally_config(64, 1, "fast")});
  row.problem.numerics = "approx";
  const Selector selector(tally_instance({.approx = true}), {}, {row});
  const Ranking ranking = selector.rank({{"n", 1024}, {"k", 1}}, 16, present());
  EXPECT_TRUE(selector.faults().empty());
  EXPECT_EQ(ranking.candidates[0].selection.config, "BLOCK=64 PACK=1 MODE=fast");
}

TEST(Selection, DimsAreChecked) {
  const Selector selector(tally_instance(), {}, {});
  EXPECT_THROW(selector.rank({{"n", -1}, {"k", 1}}, 16, present()), Error);
  EXPECT_THROW(selector.rank({{"n", 1}}, 16, present()), Error);
  EXPECT_THROW(selector.rank({{"n", 1}, {"k", 1}, {"m", 1}}, 16, present()), Error);
}

TEST(ProblemKey, SaysWhatAnInstanceIs) {
  const db::ProblemKey key = runtime::problem_key(tally_instance({.approx = true}), "hot");
  EXPECT_EQ(key.kernel, "tally");
  EXPECT_EQ(key.template_hash, tally()->hash);
  EXPECT_EQ(key.types, (std::map<std::string, std::string>{{"T", "float"}}));
  EXPECT_EQ(key.free_dims, (std::map<std::string, std::int64_t>{{"n", 1}}));
  EXPECT_EQ(key.key_dims, (std::map<std::string, std::int64_t>{{"k", 1}}));
  EXPECT_EQ(key.numerics, "approx");
  EXPECT_EQ(key.policy, "hot");
  EXPECT_EQ(key.device.model, "Stub GPU");
  EXPECT_EQ(key.device.compute_capability, 90);
  EXPECT_EQ(key.device.sm_count, 4);
  EXPECT_EQ(key.device.l2_bytes, 1 << 16);
  EXPECT_EQ(key.device.memory_gib, 1);
  // and back
  EXPECT_EQ(runtime::problem_key(runtime::instance_of(key, tally(), stub_traits()), "hot"), key);
}

TEST(ProblemKey, ConfigsSurviveStoring) {
  const db::NamedValues stored = tally_config(128, 2, "two");
  const spec::Config config = runtime::read_config(*tally(), stored);
  EXPECT_EQ(spec::to_text(*tally(), config), "BLOCK=128 PACK=2 MODE=two");
  EXPECT_EQ(runtime::stored_config(*tally(), config), stored);
}

}  // namespace
}  // namespace warptune::testing
