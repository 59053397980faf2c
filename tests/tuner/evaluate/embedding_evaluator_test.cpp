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

enum class Fault { none, wrong_row, lost_tail, clamps_upwards_only, gap_written, reads_id_as_is };

class EmbeddingEvaluator : public ::testing::Test {
 protected:
  void SetUp() override {
    test::define_helper_kernels(*device_);
    device_->define<const int*, const std::uint16_t*, std::uint16_t*, long long*, long long, long long, int,
                    long long, long long>(
        "embedding_rows",
        [this](const StubLaunch&, const int* ids, const std::uint16_t* table, std::uint16_t* output,
               long long*, long long n, long long v, int h, long long table_pitch, long long output_pitch) {
          for (long long i = 0; i < n; ++i) {
            long long id = ids[i];
            const bool outside = id < 0 || id >= v;
            if (outside && fault_ == Fault::clamps_upwards_only) id = v - 1;
            if (outside && fault_ == Fault::reads_id_as_is) id = 0;
            id = std::clamp<long long>(id, 0, std::max<long long>(v - 1, 0));
            if (fault_ == Fault::wrong_row && i == n / 2 && v > 1) id = (id + 1) % v;
            for (int e = 0; e < h; ++e)
              output[i * output_pitch + e] = v == 0 ? 0 : table[id * table_pitch + e];
            if (fault_ == Fault::lost_tail && h % 2 == 1) output[i * output_pitch + h - 1] = 0;
            if (fault_ == Fault::gap_written && output_pitch > h && i + 1 < n)
              output[i * output_pitch + h] = 0;
          }
        });
    device_->define<const int*, const std::uint16_t*, std::uint16_t*, long long, long long, long long,
                    long long, long long>(
        "embedding_reference",
        [](const StubLaunch&, const int* ids, const std::uint16_t* table, std::uint16_t* reference,
           long long n, long long v, long long h, long long table_pitch, long long output_pitch) {
          for (long long i = 0; i < n; ++i)
            for (long long e = 0; e < h; ++e)
              reference[i * output_pitch + e] = v == 0 ? 0
                                                       : table[(ids[i] < 0    ? 0
                                                                : ids[i] >= v ? v - 1
                                                                              : ids[i]) *
                                                                   table_pitch +
                                                               e];
        });
  }

  Outcome outcome(Fault fault) {
    fault_ = fault;
    spec::Problem problem;
    problem.types = {{"T", "__half"}, {"I", "int"}};
    problem.dims = {{"v", 300}, {"n", 1500}, {"h", 24}};
    DeviceEvaluatorOptions options;
    options.read_ceiling_bytes_per_s = 1e12;
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

}  // namespace
}  // namespace warptune::tuner
