// The compact form of winners gives back what was put in.
#include <warptune/db/winner_table.hpp>

#include <gtest/gtest.h>

#include "tests/db/support.hpp"

namespace warptune::db {
namespace {

using namespace test;

StoredWinner sample(std::int64_t n) {
  StoredWinner stored;
  stored.problem = sample_problem(n);
  stored.problem.free_dims["m"] = n + 1;
  stored.winner = sample_winner(n % 7);
  stored.winner.certified_by = n % 2 == 0 ? "race" : "";
  stored.toolchain = sample_toolchain();
  stored.run = n;
  stored.at_unix_s = 1'700'000'000 + n;
  stored.strategy = "exhaustive";
  if (n % 3 == 0) stored.winner.default_time_ns.reset();
  if (n % 5 == 0) stored.origin = Origin::replayed;
  if (n % 11 == 0) stored.problem.kernel = "other";
  return stored;
}

void expect_equal(const StoredWinner& read, const StoredWinner& added) {
  EXPECT_EQ(read.problem, added.problem);
  EXPECT_EQ(read.toolchain, added.toolchain);
  EXPECT_EQ(read.origin, added.origin);
  EXPECT_EQ(read.strategy, added.strategy);
  EXPECT_EQ(read.run, added.run);
  EXPECT_EQ(read.at_unix_s, added.at_unix_s);
  const WinnerRecord &a = read.winner, &b = added.winner;
  EXPECT_EQ(std::tie(a.alignment_bytes, a.config, a.time_ns, a.default_time_ns, a.default_config, a.certified,
                     a.certified_by),
            std::tie(b.alignment_bytes, b.config, b.time_ns, b.default_time_ns, b.default_config, b.certified,
                     b.certified_by));
  EXPECT_EQ(std::tie(a.interval_low_ns, a.interval_high_ns, a.samples, a.tied, a.verified_ragged, a.complete,
                     a.bytes, a.flops, a.limit_bytes_per_s),
            std::tie(b.interval_low_ns, b.interval_high_ns, b.samples, b.tied, b.verified_ragged, b.complete,
                     b.bytes, b.flops, b.limit_bytes_per_s));
}

TEST(WinnerTable, GivesBackWhatWasAddedInOrder) {
  WinnerTable table;
  for (std::int64_t n = 1; n <= 100; ++n) table.add(sample(n));
  table.finish();
  EXPECT_EQ(table.size(), 100U);
  std::int64_t n = 0;
  table.visit("dot", [&](const StoredWinner& read) {
    ++n;
    if (n % 11 == 0) ++n;
    expect_equal(read, sample(n));
  });
  EXPECT_EQ(n, 100);
}

TEST(WinnerTable, LoadedFromAFileHoldsTheWinnersOfOneDevice) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "tuning.db";
  Store store = Store::open(file, OpenMode::create);
  for (std::int64_t n = 1; n <= 20; ++n) {
    StoredWinner winner = sample(n);
    winner.problem.kernel = n % 3 == 0 ? "other" : "dot";
    if (n % 4 == 0) winner.problem.device.memory_gib = 80;
    RunInfo info;
    info.toolchain = winner.toolchain;
    info.toolchain.driver_version += static_cast<int>(n % 2);
    info.strategy = winner.strategy;
    store.end_run(store.begin_run(winner.problem, info), {}, {winner.winner});
  }
  const DeviceKey device = sample(1).problem.device;
  std::vector<StoredWinner> expected = store.winners(device, "dot");
  ASSERT_EQ(expected.size(), 10U);  // of 1..20 those that neither 3 nor 4 divides
  const WinnerTable table = store.load_winners(device);
  EXPECT_EQ(table.size(), 15U);
  std::size_t i = 0;
  table.visit("dot", [&](const StoredWinner& read) { expect_equal(read, expected.at(i++)); });
  EXPECT_EQ(i, 10U);
  EXPECT_EQ(expected[0].problem.free_dims, sample(1).problem.free_dims);
  EXPECT_EQ(expected[0].winner.config, sample(1).winner.config);
}

TEST(WinnerTable, AnEmptyOneVisitsNothing) {
  WinnerTable table;
  table.finish();
  table.visit("dot", [](const StoredWinner&) { FAIL(); });
}

}  // namespace
}  // namespace warptune::db
