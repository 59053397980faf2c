// Whatever a candidate does to its process, it gets an outcome, and the next one is measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <thread>

#include <warptune/base/error.hpp>

#include "tests/tuner/worker/worker_fixture.hpp"
#include "tuner/worker/channel.hpp"

namespace warptune::tuner {
namespace {

using test::faulty_config;
using ::testing::HasSubstr;

class WorkerEvaluator : public test::WorkerFixture {
 protected:
  void expect_good(std::int64_t variant = 0) {
    const Outcome outcome = evaluate("right", variant);
    EXPECT_EQ(outcome.status, OutcomeStatus::ok) << outcome.reason;
    ASSERT_FALSE(outcome.blocks_ns.empty());
    // The stub's clock is synthetic: 200 us per launch and what a graph costs.
    for (const double block : outcome.blocks_ns) EXPECT_NEAR(block, 200'000, 10'000);
  }
};

TEST_F(WorkerEvaluator, GoodCandidatesAreVerifiedAndTimed) {
  expect_good();
  EXPECT_EQ(evaluator().toolchain().nvrtc_version, "13.0");
  EXPECT_EQ(evaluator().toolchain().headers_hash, "stub-headers");
  EXPECT_EQ(evaluator().instance().device().model, "Stub GPU");
  EXPECT_GT(evaluator().limit_bytes_per_s().value_or(0), 0);
  EXPECT_NEAR(evaluator().time_block(faulty_config("right")), 200'000, 10'000);
  EXPECT_GT(evaluator().gpu_seconds(), 0);
  for (const char* phase : {"compile", "load", "verify", "measure"})
    EXPECT_TRUE(evaluator().phase_seconds().contains(phase)) << phase;
  const std::vector<spec::Config> none;
  evaluator().retain_only(none);
  EXPECT_NEAR(evaluator().time_block(faulty_config("right")), 200'000, 10'000);
}

TEST_F(WorkerEvaluator, ConditionsComeFromTheWorkerAndOperandsAreRenewedThere) {
  EXPECT_EQ(evaluator().conditions(), Conditions{}) << "no worker was needed yet";
  expect_good();
  (void)evaluator().time_block(faulty_config("right"));
  EXPECT_TRUE(evaluator().conditions().longest_stall_ns);
  evaluator().renew_operands();
  EXPECT_NEAR(evaluator().time_block(faulty_config("right")), 200'000, 10'000);
}

struct Fault {
  const char* kind;
  OutcomeStatus status;
  const char* reason;
};

// H14, H15: what each fault is called. After every one of them a good candidate is measured.
constexpr Fault faults[] = {
    {"segfault", OutcomeStatus::crashed, "was killed by signal 11 (Segmentation fault) (verify)"},
    {"aborts", OutcomeStatus::crashed, "was killed by signal 6 (Aborted)"},
    {"exits", OutcomeStatus::crashed, "ended with exit code 7"},
    {"kills", OutcomeStatus::crashed, "was killed by signal 9 (Killed)"},
    {"hangs", OutcomeStatus::timed_out, "verify takes more than 2 s"},
    {"babbles", OutcomeStatus::crashed, "answered nonsense"},
    {"lies", OutcomeStatus::crashed, "damaged"},
    {"illegal", OutcomeStatus::crashed, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {"refused", OutcomeStatus::launch_error, "too many resources"},
    {"half", OutcomeStatus::wrong_result, "[500] is NaN instead of"},
    {"c_error", OutcomeStatus::compile_error, "faulty.cu(3): error: planted"},
    {"c_segfault", OutcomeStatus::crashed, "the compiler was killed by signal 11 (Segmentation fault)"},
    {"c_hangs", OutcomeStatus::timed_out, "compiling takes more than 5 s"},
    {"c_memory", OutcomeStatus::resource_limit, "more memory than a compile worker may use"},
};

class WorkerFault : public WorkerEvaluator, public ::testing::WithParamInterface<Fault> {};

TEST_P(WorkerFault, IsAnOutcomeAndTheNextCandidateIsMeasured) {
  expect_good();
  const Outcome outcome = evaluate(GetParam().kind);
  EXPECT_EQ(outcome.status, GetParam().status) << to_string(outcome.status);
  EXPECT_THAT(outcome.reason, HasSubstr(GetParam().reason));
  EXPECT_EQ(outcome.reason.find('\n'), std::string::npos);
  EXPECT_EQ(outcome.config, faulty_config(GetParam().kind));
  EXPECT_TRUE(outcome.blocks_ns.empty());
  expect_good(1);
}

TEST_P(WorkerFault, IsTheSameWhenItComesFirst) {
  EXPECT_EQ(evaluate(GetParam().kind).status, GetParam().status);
  expect_good();
}

INSTANTIATE_TEST_SUITE_P(Kinds, WorkerFault, ::testing::ValuesIn(faults),
                         [](const auto& fault) { return std::string(fault.param.kind); });

// A batch in which one program kills the compiler: the others of the batch compile.
TEST_F(WorkerEvaluator, OneBadProgramOfABatchIsFoundAndTheOthersCompile) {
  for (const char* bad : {"c_error", "c_segfault", "c_hangs", "c_memory"}) {
    std::vector<spec::Config> configs;
    for (std::int64_t variant = 0; variant < 4; ++variant) {
      configs.push_back(faulty_config("right", variant));
      configs.push_back(faulty_config("slow", variant));
    }
    configs.insert(configs.begin() + 3, faulty_config(bad, 2));
    evaluator().prepare(configs, {});
    EXPECT_NE(evaluate(bad, 2).status, OutcomeStatus::ok) << bad;
    expect_good(3);
    evaluator_.reset();
    session_.reset();
    std::filesystem::remove_all(folder_ / "cache");
  }
}

// Compilers keep memory from one program to the next, and the last one is not to blame for that.
TEST_F(WorkerEvaluator, MemoryThatEarlierProgramsLeftBehindIsNoFaultOfTheNext) {
  tuner::WorkerOptions one = options();
  one.compile_workers = 1;
  session_ = std::make_unique<tuner::WorkerSession>(one);
  evaluator_ = session_->open(test::faulty_template(), test::faulty_problem());
  for (std::int64_t variant = 0; variant < 4; ++variant) {
    const Outcome outcome = evaluate("c_hoards", variant);
    EXPECT_EQ(outcome.status, OutcomeStatus::ok) << variant << ": " << outcome.reason;
  }
}

// They reach every worker, the one after a crash too, in more than one message, and no evaluator but the one they are for.
TEST_F(WorkerEvaluator, OperandsOfTheCallerReachTheWorkers) {
  std::vector<float> x(1'500'000, 1);
  x.back() = 12345;
  session_ = std::make_unique<tuner::WorkerSession>(options());
  evaluator_ = session_->open(test::faulty_template(), test::faulty_problem(std::ssize(x)),
                              {{"x", std::as_bytes(std::span(x))}});
  EXPECT_TRUE(evaluator_->has_callers_operands());
  EXPECT_EQ(evaluator_->callers_operands().at("x").data(), std::as_bytes(std::span(x)).data());
  const auto expect_found = [&](std::int64_t variant) {
    const Outcome outcome = evaluate("picky", variant);
    EXPECT_EQ(outcome.status, OutcomeStatus::wrong_result) << outcome.reason;
    EXPECT_THAT(outcome.reason, HasSubstr("brought by the caller: [1499999] is 0 instead of 24690"));
  };
  expect_found(0);
  EXPECT_EQ(evaluate("segfault").status, OutcomeStatus::crashed);
  expect_found(1);
  const auto other = session_->open(test::faulty_template(), test::faulty_problem(std::ssize(x)));
  EXPECT_EQ(other->evaluate(faulty_config("picky", 2)).status, OutcomeStatus::ok);
  expect_found(3);
}

TEST_F(WorkerEvaluator, KilledFromOutsideIsTriedOnceMore) {
  const Outcome outcome = evaluate("kills_once");
  EXPECT_EQ(outcome.status, OutcomeStatus::ok) << outcome.reason;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "killed"));
}

TEST_F(WorkerEvaluator, AFaultInTheRaceNamesTheCandidateAndOthersGoOn) {
  EXPECT_EQ(evaluate("late").status, OutcomeStatus::ok);
  expect_good();
  EXPECT_GT(evaluator().time_block(faulty_config("late")), 0);
  std::ofstream(folder_ / "late") << "now";
  try {
    evaluator().time_block(faulty_config("late"));
    FAIL() << "its process has died";
  } catch (const CandidateFailed& failure) {
    EXPECT_EQ(failure.outcome().status, OutcomeStatus::crashed);
    EXPECT_THAT(failure.outcome().reason, HasSubstr("signal 11"));
    EXPECT_EQ(failure.outcome().config, faulty_config("late"));
  }
  EXPECT_NEAR(evaluator().time_block(faulty_config("right")), 200'000, 10'000);
}

TEST_F(WorkerEvaluator, SpentTimeOutlivesItsWorker) {
  expect_good();
  const double before = evaluator().gpu_seconds();
  EXPECT_EQ(evaluate("segfault").status, OutcomeStatus::crashed);
  EXPECT_GE(evaluator().gpu_seconds(), before);
  expect_good(1);
  EXPECT_GT(evaluator().gpu_seconds(), before);
}

TEST_F(WorkerEvaluator, StopGivesUpWhatHangs) {
  expect_good();
  const auto start = Clock::now();
  std::thread signal([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop_ = true;
  });
  evaluator_.reset();
  WorkerOptions patient = options();
  EXPECT_THROW(
      {
        session_ = std::make_unique<WorkerSession>([&] {
          patient.limits = {0, 0, 0, 0};  // no limit but the signal
          return patient;
        }());
        evaluator_ = session_->open(test::faulty_template(), test::faulty_problem());
        evaluate("hangs");
      },
      Interrupted);
  signal.join();
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
}

TEST_F(WorkerEvaluator, TwoProblemsTakeTurns) {
  expect_good();
  const auto other = session_->open(test::faulty_template(), test::faulty_problem(77));
  EXPECT_EQ(other->evaluate(faulty_config("right")).status, OutcomeStatus::ok);
  EXPECT_THAT(other->evaluate(faulty_config("half")).reason, HasSubstr("n=77"));
  expect_good(1);
  EXPECT_THAT(evaluate("half").reason, HasSubstr("n=1000"));
}

TEST_F(WorkerEvaluator, AtOtherDimsItTimesAndGivesTheWorkerBack) {
  expect_good();
  {
    const auto there = evaluator().at({{"n", 2000}});
    ASSERT_NE(there, nullptr);
    EXPECT_EQ(there->instance().problem().dims.at("n"), 2000);
    EXPECT_NEAR(there->time_block(faulty_config("right")), 200'000, 20'000);
    EXPECT_THROW(there->time_block(faulty_config("segfault")), CandidateFailed);
    EXPECT_NEAR(there->time_block(faulty_config("right", 1)), 200'000, 20'000);
  }
  EXPECT_THAT(evaluate("half").reason, HasSubstr("n=1000"));
}

// Evaluators that were never used leave an answer on its way; whoever comes next, at their address perhaps, gets its own.
TEST_F(WorkerEvaluator, UnusedEvaluatorsLeaveNothingBehind) {
  expect_good();
  for (int turn = 0; turn < 3; ++turn)
    session_->open(test::faulty_template(), test::faulty_problem(50 + turn));
  const auto used = session_->open(test::faulty_template(), test::faulty_problem(99));
  EXPECT_THAT(used->evaluate(faulty_config("half")).reason, HasSubstr("n=99"));
  EXPECT_THAT(evaluate("half").reason, HasSubstr("n=1000"));
}

// What is compiled ahead for an evaluator that goes away is given up, and nobody else's.
TEST_F(WorkerEvaluator, AnEvaluatorGoesAwayAtOnceAndAloneWhateverCompiles) {
  expect_good();
  const auto start = Clock::now();
  {
    WorkerOptions patient = options();
    patient.limits.compile_s = 0;
    WorkerSession session(patient);
    const auto other = session.open(test::faulty_template(), test::faulty_problem(77));
    const std::vector<spec::Config> endless = {faulty_config("c_hangs", 0), faulty_config("c_hangs", 1)};
    other->prepare(endless, {});
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const auto third = session.open(test::faulty_template(), test::faulty_problem(78));
    third->prepare(endless, {});
  }
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
  {
    const auto other = session_->open(test::faulty_template(), test::faulty_problem(77));
    other->prepare(std::vector<spec::Config>{faulty_config("c_hangs")}, {});
  }
  expect_good(2);
}

TEST_F(WorkerEvaluator, WithoutACacheFolderTheKernelsLastAsLongAsTheSession) {
  WorkerOptions temporary = options();
  temporary.cache_folder.clear();
  session_ = std::make_unique<WorkerSession>(temporary);
  evaluator_ = session_->open(test::faulty_template(), test::faulty_problem());
  expect_good();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache"));
}

TEST_F(WorkerEvaluator, ACacheFolderThatCannotBeMadeIsDoneWithout) {
  std::ofstream(folder_ / "file") << "no folder";
  WorkerOptions odd = options();
  odd.cache_folder = folder_ / "file/cache";
  session_ = std::make_unique<WorkerSession>(odd);
  evaluator_ = session_->open(test::faulty_template(), test::faulty_problem());
  expect_good();
}

TEST(WorkerSession, AProgramThatIsNoneIsNamed) {
  WorkerOptions options;
  options.program = "/nowhere/warptune-worker";
  try {
    WorkerSession session(options);
    FAIL() << "it cannot be started";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/warptune-worker"));
  }
}

TEST(WorkerSession, AProgramThatIsNoWorkerIsSeenThrough) {
  for (const char* program : {"/bin/true", "/bin/echo"}) {
    WorkerOptions options;
    options.program = program;
    try {
      WorkerSession session(options);
      FAIL() << program << " is no worker";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
      EXPECT_THAT(error.what(), HasSubstr("did not start"));
    }
  }
}

}  // namespace
}  // namespace warptune::tuner
