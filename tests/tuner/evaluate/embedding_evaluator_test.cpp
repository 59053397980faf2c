// The shipped embedding template through the whole evaluator on the stub device: by a host body that is right, and by ones that
// lose a row, a tail, or what the id policy asks for.
#include <algorithm>
#include <cstring>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/device_evaluator.hpp>

#include "tests/support/stub_compiler.hpp"
#include "tests/support/stub_device.hpp"
#include "tests/tuner/support/host_helper_kernels.hpp"

namespace warptune::tuner {
namespace {

using ::testing::HasSubstr;
using testing::StubCompiler;
using testing::StubDevice;
using testing::StubLaunch;

enum class Fault {
  none,
  wrong_row,
  lost_tail,
  clamps_upwards_only,
  gap_written,
  reads_id_as_is,
  reports_nothing
};

class EmbeddingEvaluator : public ::testing::Test {
 protected:
  void SetUp() override {
    test::define_helper_kernels(*device_);
    device_->define<const int*, const std::uint16_t*, std::uint16_t*, long long*, long long, long long, int,
                    long long, long long, int>(
        "embedding_rows", [this](const StubLaunch& launch, const int* ids, const std::uint16_t* table,
                                 std::uint16_t* output, long long* first_bad, long long n, long long v, int h,
                                 long long table_pitch, long long output_pitch, int) {
          const bool check = launch.name.find("Policy::check") != std::string::npos;
          for (long long i = n; i-- > 0;) {
            const bool outside = ids[i] < 0 || ids[i] >= v;
            long long id = std::clamp<long long>(ids[i], 0, std::max<long long>(v - 1, 0));
            if (outside && fault_ == Fault::clamps_upwards_only) id = std::max<long long>(v - 1, 0);
            if (outside && fault_ == Fault::reads_id_as_is) id = 0;
            if (fault_ == Fault::wrong_row && i == n / 2 && v > 1) id = (id + 1) % v;
            if (check && outside && fault_ != Fault::reports_nothing) *first_bad = i;
            for (int e = 0; e < h; ++e)
              output[i * output_pitch + e] = v == 0 || (check && outside) ? 0 : table[id * table_pitch + e];
            if (fault_ == Fault::lost_tail && h % 2 == 1) output[i * output_pitch + h - 1] = 0;
            if (fault_ == Fault::gap_written && output_pitch > h && i + 1 < n)
              output[i * output_pitch + h] = 0;
          }
        });
    device_->define<const int*, const std::uint16_t*, std::uint16_t*, long long*, long long, long long,
                    long long, long long, long long>(
        "embedding_reference", [](const StubLaunch& launch, const int* ids, const std::uint16_t* table,
                                  std::uint16_t* reference, long long* first_bad, long long n, long long v,
                                  long long h, long long table_pitch, long long output_pitch) {
          const bool check = launch.name.find("Policy::check") != std::string::npos;
          long long first = -1;
          for (long long i = 0; i < n; ++i) {
            const bool outside = ids[i] < 0 || ids[i] >= v;
            if (outside && first < 0) first = i;
            const bool zeros = v == 0 || (check && outside);
            const long long row = ids[i] < 0 ? 0 : outside ? v - 1 : ids[i];
            for (long long e = 0; e < h; ++e)
              reference[i * output_pitch + e] = zeros ? 0 : table[row * table_pitch + e];
          }
          if (check) *first_bad = first;
        });
  }

  Outcome outcome(Fault fault, const char* policy = "any") {
    fault_ = fault;
    spec::Problem problem;
    problem.types = {{"T", "__half"}, {"I", "int"}};
    problem.dims = {{"v", 300}, {"n", 1500}, {"h", 24}};
    problem.attributes["policy"] = policy;
    DeviceEvaluatorOptions options;
    options.ceilings = Ceilings{1e12, 1e12, 1e12};
    const auto builder = std::make_shared<runtime::KernelBuilder>(compiler_, runtime::BuilderOptions{{}, 1});
    const spec::Instance instance(spec::find_template("embedding"), problem, device_->info().traits);
    const auto tuned = make_device_evaluator(device_, builder, instance, options);
    return tuned->evaluate(instance.spec().default_config);
  }

  std::shared_ptr<StubDevice> device_ = std::make_shared<StubDevice>();
  std::shared_ptr<StubCompiler> compiler_ = std::make_shared<StubCompiler>();
  Fault fault_ = Fault::none;
};

TEST_F(EmbeddingEvaluator, RightRowsPassAtAllDims) {
  const Outcome right = outcome(Fault::none);
  EXPECT_EQ(right.status, OutcomeStatus::ok) << right.reason;
  EXPECT_TRUE(right.verified_ragged);
  EXPECT_EQ(right.max_error, 0.0);
}

TEST_F(EmbeddingEvaluator, OneWrongRowIsSeen) {
  const Outcome wrong = outcome(Fault::wrong_row);
  EXPECT_EQ(wrong.status, OutcomeStatus::wrong_result);
  EXPECT_THAT(wrong.reason, HasSubstr("24 wrong element(s) of 'output'"));
  EXPECT_THAT(wrong.reason, HasSubstr("(bits)"));
}

// What is wrong at other dims only, does not serve them: a tail, and what lies between rows.
TEST_F(EmbeddingEvaluator, ALostTailIsSeenAtRaggedDims) {
  const Outcome wrong = outcome(Fault::lost_tail);
  EXPECT_EQ(wrong.status, OutcomeStatus::ok) << wrong.reason;
  EXPECT_FALSE(wrong.verified_ragged);
}

TEST_F(EmbeddingEvaluator, WritingBetweenRowsIsSeen) {
  const Outcome wrong = outcome(Fault::gap_written);
  EXPECT_EQ(wrong.status, OutcomeStatus::ok) << wrong.reason;
  EXPECT_FALSE(wrong.verified_ragged);
}

TEST_F(EmbeddingEvaluator, OtherPoliciesThanTheOneAskedForAreSeen) {
  for (const Fault fault : {Fault::clamps_upwards_only, Fault::reads_id_as_is}) {
    const Outcome wrong = outcome(fault);
    EXPECT_EQ(wrong.status, OutcomeStatus::wrong_result);
    EXPECT_THAT(wrong.reason, HasSubstr("ids outside"));
  }
}

TEST_F(EmbeddingEvaluator, ASilentCheckIsSeen) {
  const Outcome right = outcome(Fault::none, "check");
  EXPECT_EQ(right.status, OutcomeStatus::ok) << right.reason;
  const Outcome silent = outcome(Fault::reports_nothing, "check");
  EXPECT_EQ(silent.status, OutcomeStatus::wrong_result);
  EXPECT_THAT(silent.reason, HasSubstr("1 wrong element(s) of 'first_bad'"));
  EXPECT_THAT(silent.reason, HasSubstr("is 0xffffffffffffffff instead of 0x"));
}

}  // namespace
}  // namespace warptune::tuner
