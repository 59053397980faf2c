// Problems that several devices share: which are left out, and what the line about all of them counts.
#include "tuner/cli/tune_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <sstream>
#include <thread>
#include <utility>

#include <warptune/runtime/problem_key.hpp>

#include "tests/tuner/support/fake_evaluator.hpp"
#include "tests/tuner/support/mini_template.hpp"
#include "tests/tuner/support/temporary_folder.hpp"
#include "tuner/cli/progress_bar.hpp"

namespace warptune::tuner {
namespace {

using ::testing::HasSubstr;

// A device whose first candidate takes until lines are drawn.
class SlowSource final : public EvaluatorSource {
 public:
  explicit SlowSource(int ordinal) : ordinal_(ordinal) {}
  std::unique_ptr<Evaluator> open(const spec::TemplatePtr& spec, const spec::Problem& problem) override {
    auto evaluator = std::make_unique<test::FakeEvaluator>(
        spec::Instance(spec, problem, test::h200()),
        [](const spec::Config&) { return test::FakeEvaluator::Script(); });
    evaluator->on_evaluate = [](std::size_t evaluated) {
      if (evaluated == 1) std::this_thread::sleep_for(quiet_time + 2 * draw_interval);
    };
    return evaluator;
  }
  std::optional<runtime::DeviceInfo> device() const override {
    runtime::DeviceInfo info;
    info.traits = test::h200();
    info.label = "cuda:" + std::to_string(ordinal_);
    return info;
  }

 private:
  int ordinal_;
};

TEST(SharedProblems, ThoseLeftOutAreNotWaitedFor) {
  const test::TemporaryFolder folder;
  std::ostringstream out, err;
  const Context context{.out = out, .err = err, .err_is_terminal = true, .database = folder / "tuning.db"};
  const spec::TemplatePtr spec = test::mini_template();
  TuneWork work{context, {}, {}, true, true};
  db::DeviceKey elsewhere = runtime::device_key(test::h200());
  elsewhere.model = "another";
  // One for another GPU, one tuned before, and three to be tuned: the first of them has a winner that cannot run.
  work.tasks = {{spec, test::mini_problem("float", 1000), elsewhere},
                {spec, test::mini_problem("float", 2000), {}},
                {spec, test::mini_problem("float", 3000), {}},
                {spec, test::mini_problem("float", 4000), {}},
                {spec, test::mini_problem("float", 5000), {}}};
  db::WinnerRecord winner;
  winner.config = winner.default_config = runtime::stored_config(*spec, spec->default_config);
  winner.time_ns = 1000;
  for (const std::size_t task : {1u, 2u}) {
    if (task == 2) winner.config["CHUNK"] = std::int64_t{4};
    const spec::Instance tuned(spec, work.tasks[task].problem, test::h200());
    db::Store store = db::Store::open(context.database, db::OpenMode::create);
    store.end_run(store.begin_run(runtime::problem_key(tuned, work.options.policy), {}), {}, {winner});
  }
  const TuneReport report = tune_problems(
      work, {{0, {}}, {1, {}}},
      [](const DeviceChoice& choice) { return std::make_unique<SlowSource>(*choice.ordinal); }, true);
  EXPECT_EQ(report.of_other_devices, 1);
  EXPECT_EQ(report.already_tuned, 1);
  EXPECT_FALSE(report.interrupted);
  EXPECT_THAT(err.str(), HasSubstr("/3 problems"));
}

}  // namespace
}  // namespace warptune::tuner
