// The whole evaluator on the stub device: right kernels pass, every planted fault is named, in whatever order they come.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/base/error.hpp>
#include <warptune/tuner/device_evaluator.hpp>

#include "tests/support/stub_compiler.hpp"
#include "tests/support/stub_device.hpp"
#include "tests/tuner/support/host_helper_kernels.hpp"
#include "tests/tuner/support/planted_template.hpp"

namespace warptune::tuner {
namespace {

using test::planted_config;
using ::testing::HasSubstr;
using testing::StubCompiler;
using testing::StubDevice;
using testing::StubLaunch;

class DeviceEvaluatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    test::define_helper_kernels(*device_);
    test::define_planted_kernels(*device_);
  }

  std::unique_ptr<Evaluator> evaluator(spec::TemplatePtr spec, std::int64_t n,
                                       const std::string& policy = "cold",
                                       Ceilings ceilings = {1e12, 1e12, 1e12},
                                       std::shared_ptr<runtime::Sensors> sensors = nullptr) {
    DeviceEvaluatorOptions options;
    options.policy = policy;
    options.ceilings = ceilings;
    options.sensors = std::move(sensors);
    const auto builder = std::make_shared<runtime::KernelBuilder>(compiler_, runtime::BuilderOptions{{}, 1});
    const spec::Instance instance(std::move(spec), test::planted_problem(n), device_->info().traits);
    return make_device_evaluator(device_, builder, instance, options);
  }

  // The shipped dot, by a host body of the same interface: sums in double, then float.
  void define_dot(const bool& drops_one) {
    device_->define<const float*, const float*, float*, float*, unsigned int*, long long, int>(
        "dot", [&drops_one](const StubLaunch& launch, const float* a, const float* b, float* y,
                            float* partials, unsigned int*, long long n, int finish) {
          double total = 0;
          for (long long i = drops_one ? 1 : 0; i < n; ++i) total += static_cast<double>(a[i]) * b[i];
          if (finish != 0 || launch.grid.x == 1) {
            *y = static_cast<float>(total);
          } else {
            std::fill(partials, partials + launch.grid.x, 0.0f);
            partials[0] = static_cast<float>(total);
          }
        });
    device_->define<const float*, float*, long long>(
        "dot_finish", [](const StubLaunch&, const float* partials, float* y, long long count) {
          *y = std::accumulate(partials, partials + count, 0.0f);
        });
    device_->define<const float*, const float*, double*, double*, long long>(
        "dot_reference",
        [](const StubLaunch&, const float* a, const float* b, double* reference, double* scale, long long n) {
          for (long long i = 0; i < n; ++i) {
            *reference += static_cast<double>(a[i]) * b[i];
            *scale += std::abs(static_cast<double>(a[i]) * b[i]);
          }
        });
  }

  std::shared_ptr<StubDevice> device_ = std::make_shared<StubDevice>();
  std::shared_ptr<StubCompiler> compiler_ = std::make_shared<StubCompiler>();
};

TEST_F(DeviceEvaluatorTest, RightKernelIsVerifiedEverywhereAndTimed) {
  device_->set_cost("planted", [](const StubLaunch&) { return 20'000.0; });
  const auto tuned = evaluator(test::planted_template(), 1000);
  const Outcome outcome = tuned->evaluate(planted_config("right"));
  EXPECT_EQ(outcome.status, OutcomeStatus::ok) << outcome.reason;
  EXPECT_EQ(outcome.reason, "");
  EXPECT_TRUE(outcome.verified_ragged);
  EXPECT_EQ(outcome.max_error, 0.0);
  EXPECT_EQ(outcome.traits.registers, 32);
  ASSERT_GE(outcome.blocks_ns.size(), 2u);
  for (const double block : outcome.blocks_ns) EXPECT_NEAR(block, 20'000, 1'000);
  EXPECT_NEAR(tuned->time_block(planted_config("right")), 20'000, 1'000);
  EXPECT_GT(tuned->gpu_seconds(), 0.0);
  EXPECT_EQ(tuned->limit_bytes_per_s(), 1e12);
  EXPECT_EQ(tuned->toolchain().nvrtc_version, "13.0");
  for (const char* phase : {"compile", "load", "verify", "measure"})
    EXPECT_TRUE(tuned->phase_seconds().contains(phase)) << phase;
}

// Calls of the first config and of another one in screening, and in one block of the race after its graph was replayed once.
struct Calls {
  std::int64_t first = 0, other = 0, in_race = 0;
  friend bool operator==(const Calls&, const Calls&) = default;
  friend void PrintTo(const Calls& calls, std::ostream* out) {
    *out << calls.first << ", " << calls.other << ", " << calls.in_race;
  }
};

TEST_F(DeviceEvaluatorTest, LongCallsAreNotMadeMoreOftenThanNeeded) {
  std::int64_t calls = 0;
  device_->define<float*, float*, unsigned int*, long long>(
      "planted", [&](const StubLaunch&, float* x, float* y, unsigned int*, long long n) {
        ++calls;
        for (long long i = 0; i < n; ++i) y[i] = 2 * x[i];
      });
  const auto calls_of = [&](double call_ns) {
    device_->set_cost("planted", [call_ns](const StubLaunch&) { return call_ns; });
    DeviceEvaluatorOptions options;
    options.ceilings = Ceilings{1e12, 1e12, 1e12};
    options.on_step = [&](std::string_view step) {
      if (step == "measure") calls = 0;
    };
    const auto tuned = make_device_evaluator(
        device_, std::make_shared<runtime::KernelBuilder>(compiler_, runtime::BuilderOptions{{}, 1}),
        spec::Instance(test::planted_template(), test::planted_problem(100), device_->info().traits),
        options);
    Calls seen;
    EXPECT_EQ(tuned->evaluate(planted_config("right")).status, OutcomeStatus::ok);
    seen.first = calls;
    EXPECT_EQ(tuned->evaluate(planted_config("multiples")).status, OutcomeStatus::ok);
    seen.other = calls;
    (void)tuned->time_block(planted_config("right"));
    calls = 0;
    (void)tuned->time_block(planted_config("right"));
    seen.in_race = calls;
    return seen;
  };
  // The first config tells that calls are long: 2 x 8 of it to warm up. Blocks of screening last a millisecond, those of the race two
  // where a call takes over 50 us and less than a millisecond.
  EXPECT_EQ(calls_of(2e5), (Calls{16 + 2 * 5, 2 * 1 + 2 * 5, 10}));
  EXPECT_EQ(calls_of(2e6), (Calls{16 + 2 * 1, 1 + 2 * 1, 1}))
      << "a call is a block, and one to warm up will do";
}

// At further dims whole numbers are enough, which show every lost element: at 1000 both inputs, at 1001 and at 1 one.
TEST_F(DeviceEvaluatorTest, FurtherDimsAreVerifiedWithTheInputThatShowsMost) {
  std::map<long long, int> calls;
  std::vector<float> at_one;
  device_->define<float*, float*, unsigned int*, long long>(
      "planted", [&](const StubLaunch&, float* x, float* y, unsigned int*, long long n) {
        ++calls[n];
        if (n == 1) at_one.push_back(x[0]);
        for (long long i = 0; i < n; ++i) y[i] = 2 * x[i];
      });
  const auto tuned = evaluator(test::planted_template(), 1000);
  EXPECT_TRUE(tuned->evaluate(planted_config("right")).verified_ragged);
  EXPECT_EQ(calls[1001], 1);
  EXPECT_EQ(calls[1], 1);
  ASSERT_EQ(at_one.size(), 1u);
  EXPECT_EQ(at_one[0], std::round(at_one[0]));
}

// A call takes 20 us: 2 times the best known, 1.33 times, 1.18 times.
TEST_F(DeviceEvaluatorTest, WhatIsFarBehindIsNotTimedAtLengthUnlessAskedTo) {
  device_->set_cost("planted", [](const StubLaunch&) { return 20'000.0; });
  const auto screened = [&](double best_ns, bool early_stop) {
    DeviceEvaluatorOptions options;
    options.ceilings = {1, 1, 1};
    options.best_ns = best_ns;
    options.early_stop = early_stop;
    const auto builder = std::make_shared<runtime::KernelBuilder>(compiler_, runtime::BuilderOptions{{}, 1});
    const spec::Instance instance(test::planted_template(), test::planted_problem(1000),
                                  device_->info().traits);
    const auto tuned = make_device_evaluator(device_, builder, instance, options);
    const std::size_t blocks = tuned->evaluate(planted_config("right")).blocks_ns.size();
    return std::pair(blocks, tuned->gpu_seconds());
  };
  const auto [whole, whole_s] = screened(10'000, false);
  EXPECT_EQ(whole, 2U);
  EXPECT_EQ(screened(17'000, true).first, 2U);
  const auto [one, one_s] = screened(15'000, true);
  EXPECT_EQ(one, 1U);
  EXPECT_LT(one_s, whole_s);
  const auto [warm_up, warm_up_s] = screened(10'000, true);
  EXPECT_EQ(warm_up, 1U);
  EXPECT_LT(warm_up_s, one_s) << "not even one block of the usual length";
}

class WarmCard final : public runtime::Sensors {
 public:
  runtime::SensorReading read() override { return {1500, 61, runtime::SensorReading::power_cap}; }
};

TEST_F(DeviceEvaluatorTest, SaysWhatTheCardWentThrough) {
  device_->set_cost("planted", [](const StubLaunch&) { return 20'000.0; });
  const auto tuned =
      evaluator(test::planted_template(), 1000, "cold", {1, 1, 1}, std::make_shared<WarmCard>());
  (void)tuned->time_block(planted_config("right"));
  const Conditions seen = tuned->conditions();
  EXPECT_EQ(seen.temperature_c, 61);
  EXPECT_EQ(seen.slowdown_reasons, runtime::SensorReading::power_cap);
  // The host's timer moves on by a microsecond per look.
  EXPECT_EQ(seen.longest_stall_ns, 1000);
  EXPECT_FALSE(tuned->conditions().longest_stall_ns) << "nothing was timed since";
}

TEST_F(DeviceEvaluatorTest, LimitFollowsWhatIsReadAndWritten) {
  // Half of what planted moves is written: it is held against the copy.
  EXPECT_DOUBLE_EQ(
      evaluator(test::planted_template(), 1000, "cold", {4e12, 2e12, 3e12})->limit_bytes_per_s().value(),
      3e12);
}

TEST_F(DeviceEvaluatorTest, OperandsMoveWhenRenewedIfMemoryAllows) {
  device_->set_cost("planted", [](const StubLaunch&) { return 20'000.0; });
  std::set<const float*> places;
  device_->define<float*, float*, unsigned int*, long long>(
      "planted", [&](const StubLaunch&, float* x, float*, unsigned int*, long long) { places.insert(x); });
  const auto tuned = evaluator(test::planted_template(), 1000);
  (void)tuned->time_block(planted_config("right"));
  const std::set<const float*> before = std::exchange(places, {});
  tuned->renew_operands();
  EXPECT_NEAR(tuned->time_block(planted_config("right")), 20'000, 1'000);
  for (const float* place : places) EXPECT_FALSE(before.contains(place));
  const std::set<const float*> renewed = std::exchange(places, {});
  device_->set_memory_limit(device_->live_bytes() + 1000);
  tuned->renew_operands();
  (void)tuned->time_block(planted_config("right"));
  EXPECT_EQ(places, renewed);
}

TEST_F(DeviceEvaluatorTest, AtOtherDimsItTimesThose) {
  device_->set_cost("planted", [](const StubLaunch& launch) { return 10'000.0 * launch.grid.x; });
  const auto tuned = evaluator(test::planted_template(), 1000);  // 4 blocks of 256
  EXPECT_NEAR(tuned->time_block(planted_config("right")), 40'000, 2'000);
  const auto there = tuned->at({{"n", 2048}});
  ASSERT_NE(there, nullptr);
  EXPECT_NEAR(there->time_block(planted_config("right")), 80'000, 4'000);
  EXPECT_NEAR(tuned->time_block(planted_config("right")), 40'000, 2'000);
}

TEST_F(DeviceEvaluatorTest, EveryPlantedFaultIsNamed) {
  const std::map<std::string, std::string> reasons = {{"nothing", "wrong element(s) of 'y'"},
                                                      {"half", "wrong element(s) of 'y'"},
                                                      {"head", "[999] is NaN instead of"},
                                                      {"adds", "wrong element(s) of 'y'"},
                                                      {"past_end", "writes past the end of 'y'"},
                                                      {"before", "writes before 'y'"},
                                                      {"nan", "[500] is NaN instead of"},
                                                      {"eats_input", "changes 'x', which must stay as it is"},
                                                      {"counts", "leaves a counter other than zero"},
                                                      {"over_reads", "[999] is NaN instead of"}};
  const auto tuned = evaluator(test::planted_template(), 1000);
  for (const auto& [kind, reason] : reasons) {
    const Outcome outcome = tuned->evaluate(planted_config(kind));
    EXPECT_EQ(outcome.status, OutcomeStatus::wrong_result) << kind;
    EXPECT_THAT(outcome.reason, HasSubstr(reason)) << kind;
    EXPECT_THAT(outcome.reason, HasSubstr("n=1000")) << kind;
    EXPECT_TRUE(outcome.blocks_ns.empty()) << kind;
  }
}

// H11: what an earlier candidate left behind must not make a later one look right, nor the other way round.
TEST_F(DeviceEvaluatorTest, H11OrderDoesNotMatter) {
  const auto tuned = evaluator(test::planted_template(), 1000);
  std::vector<std::string> kinds = {"right", "nothing", "half", "head", "eats_input"};
  std::sort(kinds.begin(), kinds.end());
  do {
    for (const std::string& kind : kinds) {
      const OutcomeStatus expected = kind == "right" ? OutcomeStatus::ok : OutcomeStatus::wrong_result;
      ASSERT_EQ(tuned->evaluate(planted_config(kind)).status, expected)
          << kind << " in " << ::testing::PrintToString(kinds);
    }
  } while (std::next_permutation(kinds.begin(), kinds.end()));
}

TEST_F(DeviceEvaluatorTest, WrongAtOtherLengthsServesItsExactDimsOnly) {
  const auto tuned = evaluator(test::planted_template(), 1024);
  const Outcome outcome = tuned->evaluate(planted_config("multiples"));
  EXPECT_EQ(outcome.status, OutcomeStatus::ok) << outcome.reason;
  EXPECT_FALSE(outcome.verified_ragged);
  EXPECT_EQ(evaluator(test::planted_template(), 1000)->evaluate(planted_config("multiples")).status,
            OutcomeStatus::wrong_result);
}

// H10: operands are put back before every run, in verification and in timing.
TEST_F(DeviceEvaluatorTest, H10InPlaceKernelsAreRestored) {
  for (const char* policy : {"cold", "hot"}) {
    const auto tuned = evaluator(test::in_place_template(), 1000, policy);
    for (int repeat = 0; repeat < 3; ++repeat) {
      EXPECT_EQ(tuned->evaluate(planted_config("right")).status, OutcomeStatus::ok);
      EXPECT_GT(tuned->time_block(planted_config("right")), 0);
      EXPECT_EQ(tuned->evaluate(planted_config("nothing")).status, OutcomeStatus::wrong_result);
      EXPECT_EQ(tuned->evaluate(planted_config("head")).status, OutcomeStatus::wrong_result);
    }
  }
}

// H12: one element, or a block, of a sum that nearly cancels.
TEST_F(DeviceEvaluatorTest, H12LostElementOfASum) {
  const auto tuned = evaluator(test::sum_template(), 100'000);
  EXPECT_EQ(tuned->evaluate(planted_config("right")).status, OutcomeStatus::ok);
  for (const char* kind : {"drops_one", "drops_block"}) {
    const Outcome outcome = tuned->evaluate(planted_config(kind));
    EXPECT_EQ(outcome.status, OutcomeStatus::wrong_result) << kind;
    EXPECT_THAT(outcome.reason, HasSubstr("allowed")) << kind;
  }
}

TEST_F(DeviceEvaluatorTest, CompileErrorsAndLimitsNeedNoDeviceTime) {
  compiler_->fail_entries("Kind::half", "planted.cu(3): error: no\nmore");
  spec::KernelTraits many;
  many.registers = 300;  // 256 threads of 300 registers exceed the 65,536 of a multiprocessor
  compiler_->set_traits("Kind::nan", many);
  const auto tuned = evaluator(test::planted_template(), 1000);
  const double before = tuned->gpu_seconds();
  const Outcome broken = tuned->evaluate(planted_config("half"));
  EXPECT_EQ(broken.status, OutcomeStatus::compile_error);
  EXPECT_EQ(broken.reason, "planted.cu(3): error: no");
  const Outcome large = tuned->evaluate(planted_config("nan"));
  EXPECT_EQ(large.status, OutcomeStatus::resource_limit);
  EXPECT_THAT(large.reason, HasSubstr("300 registers x 256 threads"));
  EXPECT_EQ(tuned->gpu_seconds(), before);
}

TEST_F(DeviceEvaluatorTest, RefusedLaunchLeavesTheEvaluatorUsable) {
  device_->fail_kernels("Kind::half", Error(ErrorKind::cuda, "cuLaunchKernel: too many resources", {}, 701));
  const auto tuned = evaluator(test::planted_template(), 1000);
  const Outcome outcome = tuned->evaluate(planted_config("half"));
  EXPECT_EQ(outcome.status, OutcomeStatus::launch_error);
  EXPECT_THAT(outcome.reason, HasSubstr("too many resources"));
  EXPECT_EQ(tuned->evaluate(planted_config("right")).status, OutcomeStatus::ok);
}

// The kernel has changed its input when the comparison cannot be launched: nobody reads a report that would tell.
TEST_F(DeviceEvaluatorTest, H11InputsAreMadeAnewAfterAFailureHalfWay) {
  const auto tuned = evaluator(test::planted_template(), 1000);
  ASSERT_EQ(tuned->evaluate(planted_config("right")).status, OutcomeStatus::ok);
  device_->fail_launch(2, Error(ErrorKind::cuda, "cuLaunchKernel: too many resources", {}, 701));
  EXPECT_EQ(tuned->evaluate(planted_config("eats_input")).status, OutcomeStatus::launch_error);
  const Outcome outcome = tuned->evaluate(planted_config("right"));
  EXPECT_EQ(outcome.status, OutcomeStatus::ok) << outcome.reason;
}

TEST_F(DeviceEvaluatorTest, LostContextIsCrashedAndSaidOnce) {
  device_->fail_kernels("Kind::crashes", Error(ErrorKind::cuda, "illegal address", {}, 700),
                        StubDevice::When::synchronize);
  const auto tuned = evaluator(test::planted_template(), 1000);
  EXPECT_EQ(tuned->evaluate(planted_config("right")).status, OutcomeStatus::ok);
  const Outcome outcome = tuned->evaluate(planted_config("crashes"));
  EXPECT_EQ(outcome.status, OutcomeStatus::crashed);
  EXPECT_THAT(outcome.reason, HasSubstr("illegal address"));
  try {
    tuned->evaluate(planted_config("right"));
    FAIL() << "a lost context was used again";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cuda);
    EXPECT_THAT(error.full_text(), HasSubstr("illegal address"));
  }
  EXPECT_THROW(tuned->time_block(planted_config("right")), Error);
}

TEST_F(DeviceEvaluatorTest, PrepareBuildsEveryEntryOnce) {
  const auto tuned = evaluator(test::planted_template(), 1000);
  std::vector<spec::Config> configs;
  for (const std::string_view kind : test::wrong_kinds) configs.push_back(planted_config(kind));
  configs.push_back(configs.front());
  std::size_t last = 0, total = 0;
  tuned->prepare(configs, [&](std::size_t done, std::size_t of) { last = done, total = of; });
  EXPECT_EQ(last, test::wrong_kinds.size());
  EXPECT_EQ(total, test::wrong_kinds.size());
  const std::size_t programs = compiler_->programs().size();
  tuned->evaluate(configs.front());
  EXPECT_EQ(compiler_->programs().size(), programs);
}

TEST_F(DeviceEvaluatorTest, NothingLeaksAndForgottenCandidatesComeBack) {
  {
    const auto tuned = evaluator(test::planted_template(), 1000);
    tuned->evaluate(planted_config("right"));
    tuned->time_block(planted_config("right"));
    tuned->retain_only({});
    EXPECT_GT(tuned->time_block(planted_config("right")), 0);
  }
  EXPECT_EQ(device_->live_allocations(), 0u);
  EXPECT_THAT(device_->faults(), ::testing::IsEmpty());
}

TEST_F(DeviceEvaluatorTest, UnknownPolicyIsRefused) {
  EXPECT_THROW(evaluator(test::planted_template(), 1000, "lukewarm"), Error);
}

TEST_F(DeviceEvaluatorTest, DotOnTheHost) {
  bool drops_one = false;
  define_dot(drops_one);
  const auto tuned = evaluator(spec::find_template("dot"), 5000);
  const spec::Config config = tuned->instance().spec().default_config;
  const Outcome outcome = tuned->evaluate(config);
  EXPECT_EQ(outcome.status, OutcomeStatus::ok) << outcome.reason;
  EXPECT_TRUE(outcome.verified_ragged);
  drops_one = true;
  EXPECT_EQ(tuned->evaluate(config).status, OutcomeStatus::wrong_result);
}

TEST_F(DeviceEvaluatorTest, MemoryThatOneConfigLacksIsItsOutcomeAndMemoryThatAllLackIsAnError) {
  const bool drops_one = false;
  define_dot(drops_one);
  const auto tuned = evaluator(spec::find_template("dot"), 5000);
  const spec::TemplateSpec& dot = tuned->instance().spec();
  spec::Config many_blocks =
      dot.default_config;  // 157 blocks of one warp: a larger workspace than the default's
  many_blocks.values[dot.tunable_index("NUM_THREADS")] = spec::Value::integer(32);
  many_blocks.values[dot.tunable_index("UNROLL")] = spec::Value::integer(1);
  many_blocks.values[dot.tunable_index("BLOCKS_PER_SM")] = spec::Value::integer(0);
  device_->set_memory_limit(device_->live_bytes());
  try {
    tuned->evaluate(dot.default_config);
    FAIL() << "nothing has run yet";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
  }
  device_->set_memory_limit(SIZE_MAX);
  ASSERT_EQ(tuned->evaluate(dot.default_config).status, OutcomeStatus::ok);
  device_->set_memory_limit(device_->live_bytes());
  const Outcome outcome = tuned->evaluate(many_blocks);
  EXPECT_EQ(outcome.status, OutcomeStatus::resource_limit) << outcome.reason;
  EXPECT_THAT(outcome.reason, HasSubstr("memory"));
  device_->set_memory_limit(SIZE_MAX);
  EXPECT_EQ(tuned->evaluate(many_blocks).status, OutcomeStatus::ok);
}

TEST_F(DeviceEvaluatorTest, CalibrationNamesItsFigures) {
  runtime::KernelBuilder builder(compiler_, runtime::BuilderOptions{{}, 1});
  const std::map<std::string, double> figures = calibrate_device(*device_, builder);
  for (const char* name :
       {"event_tick_ns", "empty_kernel_cadence_ns", "read_ceiling_bytes_per_s", "write_ceiling_bytes_per_s",
        "copy_ceiling_bytes_per_s", "read_4x_l2_bytes_per_s", "replay_cost_ns", "l2_bytes"})
    EXPECT_TRUE(figures.contains(name)) << name;
  EXPECT_GT(figures.at("read_ceiling_bytes_per_s"), 0);
}

}  // namespace
}  // namespace warptune::tuner
