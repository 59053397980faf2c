// What goes wrong with storing while tuning: a disk that fills up, a run that somebody removes. Nothing stored is lost, and the
// winner is still found.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include <warptune/runtime/problem_key.hpp>
#include <warptune/tuner/tune.hpp>

#include "tests/tuner/support/fake_evaluator.hpp"
#include "tests/tuner/support/mini_template.hpp"
#include "tests/tuner/support/temporary_folder.hpp"

namespace warptune::tuner {
namespace {

// From now on no file of this process grows beyond `bytes`, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(TuneOnAFullDisk, FindsTheWinnerAndKeepsWhatWasStored) {
  const test::TemporaryFolder folder;
  const spec::Instance instance(test::mini_template(""), test::mini_problem("__half"), test::h200());
  test::FakeEvaluator evaluator(instance, [](const spec::Config& config) {
    return test::FakeEvaluator::Script{
        1000 + 10 * std::abs(static_cast<double>(config.values[0].as_integer()) - 128),
        OutcomeStatus::ok,
        "",
        {}};
  });
  std::optional<FileSizeLimit> full;
  evaluator.on_evaluate = [&](std::size_t evaluated) {
    if (evaluated == 6) full.emplace(4096);
  };
  TuneResult result;
  {
    db::Store store = db::Store::open(folder / "tuning.db", db::OpenMode::create);
    result = tune(evaluator, &store, {});
    full.reset();
  }
  EXPECT_EQ(evaluator.evaluated.size(), 12u) << "the search went on";
  ASSERT_FALSE(result.winners.empty());
  EXPECT_EQ(std::get<std::int64_t>(result.winners.back().config.at("THREADS")), 128);
  ASSERT_TRUE(result.store_error.has_value());
  EXPECT_NE(result.store_error->find("tuning.db"), std::string::npos) << *result.store_error;
  const db::Store store = db::Store::open(folder / "tuning.db", db::OpenMode::read_only);
  EXPECT_TRUE(store.integrity_ok());
  EXPECT_EQ(store.outcomes(runtime::problem_key(instance, "cold")).size(), 5u);
  EXPECT_TRUE(store.winners().empty());
}

TEST(TuneWhoseRunIsRemoved, FindsTheWinnerAndSaysWhy) {
  const test::TemporaryFolder folder;
  const spec::Instance instance(test::mini_template(""), test::mini_problem("__half"), test::h200());
  test::FakeEvaluator evaluator(instance, [](const spec::Config&) { return test::FakeEvaluator::Script{}; });
  evaluator.on_evaluate = [&](std::size_t evaluated) {
    if (evaluated == 6)
      db::Store::open(folder / "tuning.db", db::OpenMode::read_write).remove_runs({1}, false);
  };
  db::Store store = db::Store::open(folder / "tuning.db", db::OpenMode::create);
  const TuneResult result = tune(evaluator, &store, {});
  EXPECT_EQ(evaluator.evaluated.size(), 12u) << "the search went on";
  EXPECT_FALSE(result.winners.empty());
  ASSERT_TRUE(result.store_error.has_value());
  EXPECT_NE(result.store_error->find("was removed since"), std::string::npos) << *result.store_error;
}

}  // namespace
}  // namespace warptune::tuner
