#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>

#include "tests/db/support.hpp"

namespace warptune::db {
namespace {

using namespace test;
using testing::ElementsAre;

class StoreTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "tuning.db";
};

void expect_equal(const OutcomeRecord& a, const OutcomeRecord& b) {
  EXPECT_EQ(a.config, b.config);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.time_ns, b.time_ns);
  EXPECT_EQ(a.blocks_ns, b.blocks_ns);
  EXPECT_EQ(a.max_error, b.max_error);
  EXPECT_EQ(a.verified_ragged, b.verified_ragged);
  EXPECT_EQ(a.registers, b.registers);
  EXPECT_EQ(a.local_bytes, b.local_bytes);
  EXPECT_EQ(a.shared_bytes, b.shared_bytes);
  EXPECT_EQ(a.alignment_bytes, b.alignment_bytes);
  EXPECT_EQ(a.at_unix_ms, b.at_unix_ms);
}

TEST_F(StoreTest, OutcomesComeBackAsTheyWere) {
  make_sample(file_);
  const Store store = Store::open(file_, OpenMode::read_only);
  const auto outcomes = store.outcomes(sample_problem());
  ASSERT_EQ(outcomes.size(), 2U);
  expect_equal(outcomes[0].outcome, sample_outcome(256));
  EXPECT_EQ(outcomes[0].toolchain, sample_toolchain());
  EXPECT_EQ(outcomes[0].origin, Origin::measured);
  EXPECT_EQ(outcomes[1].outcome.status, "wrong_result");
  EXPECT_EQ(outcomes[1].outcome.reason, "element 3 is 1, not 2");
  EXPECT_FALSE(outcomes[1].outcome.time_ns.has_value());
  EXPECT_TRUE(outcomes[1].outcome.blocks_ns.empty());
  EXPECT_EQ(store.outcome_counts(sample_problem()),
            (std::map<std::string, std::int64_t>{{"ok", 1}, {"wrong_result", 1}}));
  EXPECT_EQ(store.outcome_total(), 2);
  EXPECT_TRUE(store.faults().empty());
}

TEST_F(StoreTest, WinnerComesBackAsItWas) {
  make_sample(file_);
  const auto winners = Store::open(file_, OpenMode::read_only).winners();
  ASSERT_EQ(winners.size(), 1U);
  EXPECT_EQ(winners[0].problem, sample_problem());
  EXPECT_EQ(winners[0].toolchain, sample_toolchain());
  EXPECT_EQ(winners[0].strategy, "exhaustive");
  EXPECT_GT(winners[0].at_unix_s, 1'700'000'000);
  const WinnerRecord& winner = winners[0].winner;
  const WinnerRecord expected = sample_winner(256);
  EXPECT_EQ(winner.alignment_bytes, expected.alignment_bytes);
  EXPECT_EQ(winner.config, expected.config);
  EXPECT_EQ(winner.time_ns, expected.time_ns);
  EXPECT_EQ(winner.default_time_ns, expected.default_time_ns);
  EXPECT_EQ(winner.default_config, expected.default_config);
  EXPECT_EQ(winner.certified, expected.certified);
  EXPECT_EQ(winner.interval_low_ns, expected.interval_low_ns);
  EXPECT_EQ(winner.interval_high_ns, expected.interval_high_ns);
  EXPECT_EQ(winner.samples, expected.samples);
  EXPECT_EQ(winner.tied, expected.tied);
  EXPECT_EQ(winner.verified_ragged, expected.verified_ragged);
  EXPECT_EQ(winner.complete, expected.complete);
  EXPECT_EQ(winner.bytes, expected.bytes);
  EXPECT_EQ(winner.flops, expected.flops);
  EXPECT_EQ(winner.limit_bytes_per_s, expected.limit_bytes_per_s);
}

TEST_F(StoreTest, EveryPartOfTheKeyCounts) {
  make_sample(file_);
  const Store store = Store::open(file_, OpenMode::read_only);
  const auto absent = [&](auto change) {
    ProblemKey problem = sample_problem();
    change(problem);
    return store.outcomes(problem).empty() && !store.last_run_end(problem);
  };
  EXPECT_FALSE(absent([](ProblemKey&) {}));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.kernel = "dot2"; }));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.template_hash = "f"; }));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.types["T"] = "float"; }));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.types = {{"U", "__half"}}; }));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.key_dims["rank"] = 2; }));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.free_dims["n"] += 1; }));
  EXPECT_TRUE(absent([](ProblemKey& p) { std::swap(p.free_dims, p.key_dims); }));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.attributes.clear(); }));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.numerics = "approx"; }));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.policy = "hot"; }));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.device.model = "NVIDIA H200 NVL"; }));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.device.compute_capability = 100; }));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.device.sm_count = 66; }));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.device.l2_bytes = 1; }));
  EXPECT_TRUE(absent([](ProblemKey& p) { p.device.memory_gib = 80; }));
}

TEST_F(StoreTest, WinnersFilterByDeviceAndKernel) {
  Store store = Store::open(file_, OpenMode::create);
  ProblemKey other_device = sample_problem();
  other_device.device.model = "NVIDIA H100";
  ProblemKey other_kernel = sample_problem();
  other_kernel.kernel = "gather";
  for (const ProblemKey& problem : {sample_problem(), other_device, other_kernel}) {
    store.end_run(store.begin_run(problem, sample_run()), sample_end(), {sample_winner()});
  }
  EXPECT_EQ(store.winners().size(), 3U);
  EXPECT_EQ(store.winners(sample_device()).size(), 2U);
  const auto gathers = store.winners(sample_device(), "gather");
  ASSERT_EQ(gathers.size(), 1U);
  EXPECT_EQ(gathers[0].problem, other_kernel);
  DeviceKey unknown = sample_device();
  unknown.sm_count = 7;
  EXPECT_TRUE(store.winners(unknown).empty());
}

TEST_F(StoreTest, ProblemsAreThoseWithOutcomes) {
  Store store = Store::open(file_, OpenMode::create);
  const std::int64_t first = store.begin_run(sample_problem(1), sample_run());
  store.begin_run(sample_problem(2), sample_run());
  const std::int64_t third = store.begin_run(sample_problem(3), sample_run());
  EXPECT_TRUE(store.problems().empty());
  store.add_outcome(third, sample_outcome());
  store.add_outcome(first, sample_outcome());
  EXPECT_THAT(store.problems(), ElementsAre(sample_problem(1), sample_problem(3)));
  EXPECT_THAT(store.problems("dot"), ElementsAre(sample_problem(1), sample_problem(3)));
  EXPECT_TRUE(store.problems("gather").empty());
}

TEST_F(StoreTest, NewestOutcomePerConfigAndMeasuredBeforeReplayed) {
  Store store = Store::open(file_, OpenMode::create);
  const std::int64_t measured = store.begin_run(sample_problem(), sample_run());
  RunInfo replay = sample_run();
  replay.origin = Origin::replayed;
  const std::int64_t replayed = store.begin_run(sample_problem(), replay);
  const auto add = [&](std::int64_t run, std::int64_t threads, double time_ns, std::int64_t at_unix_ms) {
    OutcomeRecord outcome = sample_outcome(threads);
    outcome.time_ns = time_ns;
    outcome.at_unix_ms = at_unix_ms;
    store.add_outcome(run, outcome);
  };
  add(measured, 64, 1, 1000);
  add(measured, 128, 2, 3000);
  add(measured, 64, 3, 2000);  // newer than the first
  add(replayed, 64, 4, 9000);  // replayed: loses against measured
  add(replayed, 32, 5, 4000);  // the only one of its config
  const auto outcomes = store.outcomes(sample_problem());
  std::vector<double> times;
  for (const StoredOutcome& stored : outcomes) times.push_back(*stored.outcome.time_ns);
  EXPECT_THAT(times, testing::UnorderedElementsAre(3, 2, 5));
  // In the order in which they were tried, per origin.
  EXPECT_LT(std::find(times.begin(), times.end(), 3.0), std::find(times.begin(), times.end(), 2.0));
  EXPECT_EQ(store.outcome_total(), 5);
}

TEST_F(StoreTest, LastRunEndPassesOverInterruptedRuns) {
  Store store = Store::open(file_, OpenMode::create);
  EXPECT_FALSE(store.last_run_end(sample_problem()).has_value());
  const std::int64_t first = store.begin_run(sample_problem(), sample_run());
  EXPECT_FALSE(store.last_run_end(sample_problem()).has_value());
  store.end_run(first, sample_end(), {});
  store.begin_run(sample_problem(), sample_run());
  const auto end = store.last_run_end(sample_problem());
  ASSERT_TRUE(end.has_value());
  EXPECT_TRUE(end->complete);
  EXPECT_EQ(end->space_size, 720);
  EXPECT_EQ(end->wall_s, 12.5);
  EXPECT_EQ(end->gpu_s, 8.25);
  EXPECT_EQ(end->phase_s, sample_end().phase_s);
}

TEST_F(StoreTest, NewestCalibration) {
  Store store = Store::open(file_, OpenMode::create);
  EXPECT_FALSE(store.calibration(sample_device()).has_value());
  store.set_calibration({sample_device(), {{"event_tick_ns", 32.0}}, 2000});
  store.set_calibration({sample_device(), {{"event_tick_ns", 64.0}}, 1000});
  const auto found = store.calibration(sample_device());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->figures, (std::map<std::string, double>{{"event_tick_ns", 32.0}}));
  EXPECT_EQ(found->at_unix_s, 2000);
}

TEST_F(StoreTest, TimeOfZeroBecomesThePresent) {
  Store store = Store::open(file_, OpenMode::create);
  const std::int64_t run = store.begin_run(sample_problem(), sample_run());
  OutcomeRecord outcome = sample_outcome();
  outcome.at_unix_ms = 0;
  store.add_outcome(run, outcome);
  store.set_calibration({sample_device(), {}, 0});
  EXPECT_GT(store.outcomes(sample_problem()).at(0).outcome.at_unix_ms, 1'700'000'000'000);
  EXPECT_GT(store.calibration(sample_device())->at_unix_s, 1'700'000'000);
}

TEST_F(StoreTest, ErrorThatIsNoNumberIsInfinite) {
  Store store = Store::open(file_, OpenMode::create);
  OutcomeRecord outcome = sample_outcome();
  outcome.max_error = std::nan("");
  store.add_outcome(store.begin_run(sample_problem(), sample_run()), outcome);
  const auto stored = store.outcomes(sample_problem()).at(0).outcome.max_error;
  ASSERT_TRUE(stored.has_value());
  EXPECT_TRUE(std::isinf(*stored));
}

// `call` throws an Error of kind usage.
template <class Call>
void expect_usage_error(Call call) {
  try {
    call();
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage) << error.full_text();
  }
}

TEST_F(StoreTest, WrongUseIsRefusedAndChangesNothing) {
  make_sample(file_);
  Store store = Store::open(file_, OpenMode::read_write);
  const std::int64_t run = store.begin_run(sample_problem(), sample_run());
  WinnerRecord without_time = sample_winner();
  without_time.time_ns = std::nan("");
  WinnerRecord odd_alignment = sample_winner();
  odd_alignment.alignment_bytes = 12;
  expect_usage_error([&] { store.add_outcome(999, sample_outcome()); });
  expect_usage_error([&] { store.end_run(999, sample_end(), {}); });
  expect_usage_error([&] { store.end_run(1, sample_end(), {}); });  // ended already
  expect_usage_error([&] { store.end_run(run, sample_end(), {sample_winner(), sample_winner()}); });
  expect_usage_error([&] { store.end_run(run, sample_end(), {without_time}); });
  expect_usage_error([&] { store.end_run(run, sample_end(), {odd_alignment}); });
  EXPECT_EQ(store.outcome_total(), 2);
  EXPECT_EQ(store.winners().size(), 1U);
  store.add_outcome(run, sample_outcome(64));  // still works
  store.end_run(run, sample_end(), {sample_winner(64)});
  EXPECT_EQ(store.winners().at(0).winner.config, sample_config(64));
}

TEST_F(StoreTest, ReadOnlyStoreRefusesToWrite) {
  make_sample(file_);
  Store store = Store::open(file_, OpenMode::read_only);
  expect_usage_error([&] { store.begin_run(sample_problem(), sample_run()); });
  expect_usage_error([&] { store.add_outcome(1, sample_outcome()); });
  expect_usage_error([&] { store.end_run(1, sample_end(), {}); });
  expect_usage_error([&] { store.set_calibration({sample_device(), {}, 1}); });
}

TEST_F(StoreTest, StoreMoves) {
  make_sample(file_);
  Store store = Store::open(file_, OpenMode::read_write);
  Store moved = std::move(store);
  const std::int64_t run = moved.begin_run(sample_problem(5), sample_run());
  moved.add_outcome(run, sample_outcome());
  moved = Store::open(file_, OpenMode::read_write);
  moved.add_outcome(run, sample_outcome(32));
  EXPECT_EQ(moved.outcome_total(), 4);
  EXPECT_EQ(moved.path(), file_);
}

TEST_F(StoreTest, FilesAreNotWritableByOthers) {
  const mode_t before = ::umask(022);
  Store store = Store::open(file_, OpenMode::create);
  ::umask(before);
  for (const std::string& name : folder_.names()) {
    struct stat info {};
    ASSERT_EQ(::stat((folder_ / name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 022, 0U) << name;
  }
}

TEST_F(StoreTest, CompactCopyHoldsAllInOneFile) {
  make_sample(file_);
  const auto copy = folder_ / "it's a copy.db";
  Store::open(file_, OpenMode::read_only).compact_copy(copy);
  EXPECT_THAT(folder_.names(), ElementsAre("it's a copy.db", "tuning.db"));
  const Store store = Store::open(copy, OpenMode::read_only);
  EXPECT_EQ(store.schema_version(), 4);
  EXPECT_TRUE(store.integrity_ok());
  EXPECT_EQ(store.outcomes(sample_problem()).size(), 2U);
  EXPECT_EQ(store.winners().size(), 1U);
  EXPECT_THROW(store.compact_copy(copy), Error);  // never over a file
  EXPECT_EQ(Store::open(copy, OpenMode::read_only).outcome_total(), 2);
}

}  // namespace
}  // namespace warptune::db
