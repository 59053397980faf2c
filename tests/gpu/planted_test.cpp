// The kit of planted candidates on a real GPU, in worker processes: every kind gets its outcome whatever came before it, good
// ones are measured as if the others were not there, and no process stays on the GPU.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/runtime/device.hpp>
#include <warptune/tuner/tune.hpp>
#include <warptune/tuner/worker_session.hpp>

#include "tests/planted/planted_kit.hpp"
#include "tests/tuner/support/temporary_folder.hpp"

namespace warptune::tuner {
namespace {

using test::planted_kinds;
using test::PlantedKind;
using ::testing::HasSubstr;

class GpuPlanted : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;  // asking makes no context
    if (runtime::cuda_device_count(&why) == 0) GTEST_SKIP() << "no GPU: " << why;
    WorkerOptions options;
    options.cache_folder = folder_ / "cache";
    options.limits.launch_s = 2;
    options.limits.compile_s = 10;
    options.limits.compile_memory_bytes = std::int64_t{1} << 30;
    session_ = std::make_unique<WorkerSession>(options);
    evaluator_ = session_->open(test::planted_kit(), test::planted_kit_problem(1'000'003));
  }

  void expect(const PlantedKind& kind) {
    const Outcome outcome = evaluator_->evaluate(test::planted_kit_config(kind.name));
    EXPECT_EQ(outcome.status, kind.status) << kind.name << ": " << outcome.reason;
    EXPECT_THAT(outcome.reason, HasSubstr(std::string(kind.reason))) << kind.name;
    EXPECT_EQ(outcome.blocks_ns.empty(), kind.status != OutcomeStatus::ok) << kind.name;
  }
  double median_ns(const char* kind) {
    std::vector<double> blocks;
    for (int block = 0; block < 15; ++block)
      blocks.push_back(evaluator_->time_block(test::planted_kit_config(kind)));
    std::nth_element(blocks.begin(), blocks.begin() + 7, blocks.end());
    return blocks[7];
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<WorkerSession> session_;
  std::unique_ptr<Evaluator> evaluator_;
};

TEST_F(GpuPlanted, H11H14H15EveryKindGetsItsOutcomeInEveryOrder) {
  std::vector<PlantedKind> order(planted_kinds.begin(), planted_kinds.end());
  std::vector<spec::Config> all;
  for (const PlantedKind& kind : order) all.push_back(test::planted_kit_config(kind.name));
  evaluator_->prepare(all, [](std::size_t, std::size_t) {});
  for (const PlantedKind& kind : order) expect(kind);
  std::reverse(order.begin(), order.end());
  for (const PlantedKind& kind : order) expect(kind);
  std::shuffle(order.begin(), order.end(), std::mt19937(4));
  for (const PlantedKind& kind : order) expect(kind);
}

// Each fault between two good candidates.
TEST_F(GpuPlanted, H14AGoodCandidateAfterEachFault) {
  for (const PlantedKind& kind : planted_kinds) {
    if (kind.status == OutcomeStatus::ok || !kind.needs_gpu) continue;
    expect(kind);
    expect(planted_kinds[0]);
  }
}

TEST_F(GpuPlanted, GoodCandidatesAreMeasuredAsIfTheBadOnesWereNotThere) {
  expect(planted_kinds[0]);
  const double before = median_ns("right");
  for (const PlantedKind& kind : planted_kinds)
    if (kind.status == OutcomeStatus::crashed) expect(kind);
  const double after = median_ns("right");
  EXPECT_LT(std::abs(after / before - 1), 0.03) << before << " ns, then " << after << " ns";
}

TEST_F(GpuPlanted, ATuneOfTheKitChoosesAGoodOneAndStoresEveryOutcome) {
  db::Store store = db::Store::open(folder_ / "tuning.db", db::OpenMode::create);
  const TuneResult result = tune(*evaluator_, &store, {});
  ASSERT_FALSE(result.winners.empty());
  EXPECT_THAT(std::get<std::string>(result.winners.back().config.at("KIND")), HasSubstr("right"));
  std::map<OutcomeStatus, std::int64_t> expected;
  // What asks for more shared memory than the device has is no candidate: the space leaves it out.
  for (const PlantedKind& kind : planted_kinds)
    if (kind.name != "huge_shared") ++expected[kind.status];
  EXPECT_EQ(result.counts, expected);
}

}  // namespace
}  // namespace warptune::tuner
