#include <gtest/gtest.h>

#include <cstring>

#include "tests/spec/sample.hpp"

namespace warptune::spec {
namespace {

using test::changed;
using test::error_of;

Instance dot(std::int64_t n, const char* type = "half") {
  Problem problem;
  problem.types["T"] = type;
  problem.dims["n"] = n;
  problem.allowed = {true, true};
  return {find_template("dot"), problem, test::h200()};
}

Config dot_config(std::int64_t threads, std::int64_t pack, std::int64_t unroll, std::int64_t blocks_per_sm,
                  const char* finish) {
  return from_named(*find_template("dot"), {{"NUM_THREADS", Value::integer(threads)},
                                            {"PACK", Value::integer(pack)},
                                            {"UNROLL", Value::integer(unroll)},
                                            {"BLOCKS_PER_SM", Value::integer(blocks_per_sm)},
                                            {"MULTIPLY", Value::word("f32")},
                                            {"FINISH", Value::word(finish)}});
}

const KernelStep& first_kernel(const LaunchPlan& plan) {
  for (const PlanStep& step : plan.steps) {
    if (const auto* kernel = std::get_if<KernelStep>(&step)) return *kernel;
  }
  throw std::logic_error("no kernel");
}

template <typename Scalar>
Scalar scalar(const PlanArgument& argument) {
  Scalar value;
  EXPECT_EQ(argument.size_bytes, sizeof value);
  std::memcpy(&value, argument.bytes.data(), sizeof value);
  return value;
}

// Tile of 256 x 8 x 4 = 8192 elements, one block per tile.
TEST(DotPlan, GridFollowsLength) {
  const Config config = dot_config(256, 8, 4, 0, "last_block");
  const std::pair<std::int64_t, std::uint32_t> cases[] = {{0, 1},
                                                          {1, 1},
                                                          {8192, 1},
                                                          {8193, 2},
                                                          {2147483651, 262145},
                                                          {std::int64_t{8192} * 2147483647, 2147483647}};
  for (const auto& [n, blocks] : cases) {
    const Instance instance = dot(n);
    ASSERT_EQ(instance.excluded(config), std::nullopt) << n;
    const LaunchPlan plan = instance.plan(config);
    const KernelStep& kernel = first_kernel(plan);
    EXPECT_EQ(kernel.grid, (Dim3{blocks, 1, 1})) << n;
    EXPECT_EQ(kernel.block, (Dim3{256, 1, 1}));
    EXPECT_EQ(kernel.arguments[0].buffer, 0u);
    EXPECT_EQ(scalar<long long>(kernel.arguments[5]), n);
  }
}

TEST(DotPlan, TooManyBlocksForAGridAreExcluded) {
  const Config per_tile = dot_config(256, 8, 4, 0, "last_block"),
               persistent = dot_config(256, 8, 4, 2, "last_block");
  for (const std::int64_t n : {std::int64_t{8192} * 2147483647 + 1, std::int64_t{1} << 62, INT64_MAX}) {
    EXPECT_NE(dot(n).excluded(per_tile), std::nullopt) << n;
    EXPECT_THROW(dot(n).plan(per_tile), Error) << n;
    EXPECT_EQ(dot(n).excluded(persistent), std::nullopt) << n;
    EXPECT_EQ(first_kernel(dot(n).plan(persistent)).grid.x, 264u) << "2 x 132 multiprocessors";
  }
}

TEST(DotPlan, StepsFollowFinishAndBlocks) {
  const auto steps = [](std::int64_t n, const char* finish) {
    return dot(n).plan(dot_config(256, 8, 4, 2, finish)).steps.size();
  };
  EXPECT_EQ(steps(8192, "two_pass"), 1u);
  EXPECT_EQ(steps(8193, "two_pass"), 2u);
  EXPECT_EQ(steps(8193, "last_block"), 1u);
  EXPECT_EQ(steps(8193, "atomic"), 2u);
  EXPECT_TRUE(
      std::holds_alternative<MemsetStep>(dot(8193).plan(dot_config(256, 8, 4, 2, "atomic")).steps[0]));
}

TEST(DotPlan, KernelsBeginEarlyButBehindAMemset) {
  const auto begins_early = [](const char* finish) {
    std::vector<bool> result;
    const LaunchPlan plan = dot(8193).plan(dot_config(256, 8, 4, 2, finish));
    for (const PlanStep& step : plan.steps)
      if (const auto* kernel = std::get_if<KernelStep>(&step)) result.push_back(kernel->programmatic);
    return result;
  };
  EXPECT_EQ(begins_early("two_pass"), (std::vector<bool>{true, true}));
  EXPECT_EQ(begins_early("last_block"), std::vector<bool>{true});
  EXPECT_EQ(begins_early("atomic"), std::vector<bool>{false});
}

// Behind a memset that some configs have the step begins like any other; first of all, or behind a kernel, it may begin early.
TEST(Plan, WhatStandsAheadIsDecidedPerConfig) {
  const std::string again =
      "[[step]]\nentry = \"scale<{T}, {THREADS}, {PACK}>\"\nargs = [\"x\", \"y\", { value = \"n\", type = "
      "\"long long\" }]\ngrid = [\"blocks\"]\nblock = [\"THREADS\"]\nprogrammatic = true\n";
  const auto programmatic = [&](const std::string& ahead) {
    const TemplatePtr spec =
        test::parse(changed("block = [\"THREADS\"]\n", "block = [\"THREADS\"]\n" + ahead + again));
    Problem problem;
    problem.types["T"] = "float";
    problem.dims = {{"n", 100}, {"width", 1}};
    const LaunchPlan plan = Instance(spec, problem, test::h200()).plan(spec->default_config);
    return std::get<KernelStep>(plan.steps.back()).programmatic;
  };
  EXPECT_TRUE(programmatic(""));
  EXPECT_TRUE(programmatic("when = \"n < 0\"\n"));
  const std::string memset = "[[step]]\nmemset = \"y\"\nbyte = 0\n";
  EXPECT_FALSE(programmatic(memset + "when = \"n > 0\"\n"));
  EXPECT_TRUE(programmatic(memset + "when = \"n < 0\"\n"));
}

TEST(DotPlan, EntriesAreThoseOfAnyLength) {
  const std::string kernel = "dot<__half, 256, 8, 4, Multiply::f32>";
  for (const std::int64_t n : {0, 1, 1 << 24}) {
    EXPECT_EQ(dot(n).entries(dot_config(256, 8, 4, 2, "two_pass")).size(), 3u)
        << "both finishing kernels may be needed";
    EXPECT_EQ(dot(n).entries(dot_config(256, 8, 4, 2, "two_pass"))[0], kernel);
    EXPECT_EQ(dot(n).entries(dot_config(256, 8, 4, 2, "atomic")), (std::vector<std::string>{kernel}));
  }
}

TEST(DotPlan, BuffersAndAlignment) {
  const Instance instance = dot(1000003);
  const auto layouts = instance.buffers(dot_config(256, 8, 4, 2, "two_pass"));
  ASSERT_EQ(layouts.size(), 5u);
  EXPECT_EQ(layouts[0].elements, 1000003);
  EXPECT_EQ(layouts[0].bytes(), 2000006);
  EXPECT_EQ(layouts[0].alignment_bytes, 16);
  EXPECT_EQ(layouts[2].elements, 1);
  EXPECT_EQ(layouts[3].elements, 123) << "ceil(1000003 / 8192) partial sums";
  EXPECT_EQ(instance.alignment_class(dot_config(256, 8, 4, 2, "two_pass")), 16);
  EXPECT_EQ(instance.alignment_class(dot_config(256, 2, 4, 2, "two_pass")), 4);
  EXPECT_EQ(instance.alignment_class(dot_config(256, 1, 4, 2, "two_pass")), 1);
  EXPECT_EQ(instance.alignment_classes(), (std::vector<std::int64_t>{1, 4, 8, 16}));
  EXPECT_EQ(dot(5, "float").alignment_classes(), (std::vector<std::int64_t>{1, 8, 16}));
}

TEST(DotPlan, ImpossibleBufferSizes) {
  const Config config = dot_config(256, 8, 4, 2, "two_pass");
  EXPECT_EQ(dot((std::int64_t{1} << 62) - 1).buffers(config)[0].bytes(), INT64_MAX - 1);
  EXPECT_NE(error_of([&] {
              dot(std::int64_t{1} << 62).buffers(config);
            }).find("buffer 'a' would hold 4611686018427387904"),
            std::string::npos);
}

TEST(DotPlan, ReferenceKernel) {
  const KernelStep check = dot(1000).check_plan();
  EXPECT_EQ(check.entry, "dot_reference<__half>");
  EXPECT_EQ(check.grid.x, 4u);
  EXPECT_EQ(check.arguments[2].buffer, 5u) << "reference";
  EXPECT_EQ(check.arguments[3].buffer, 6u) << "scale";
  EXPECT_EQ(scalar<long long>(check.arguments[4]), 1000);
}

TEST(Plan, ScalarsThatDoNotFitTheirTypeAreErrors) {
  const std::string manifest = changed("{ value = \"n\", type = \"long long\" }]\ngrid = [\"blocks\"]",
                                       "{ value = \"n - 5\", type = \"unsigned int\" }]\ngrid = [\"1\"]");
  const Config config = test::parse(manifest)->default_config;
  const auto value = [&](std::int64_t n) {
    return scalar<std::uint32_t>(first_kernel(test::sample_instance(manifest, n).plan(config)).arguments[2]);
  };
  EXPECT_EQ(value(5), 0u);
  EXPECT_EQ(value(4294967300), 4294967295u);
  for (const std::int64_t n : {std::int64_t{4}, std::int64_t{4294967301}}) {
    EXPECT_NE(
        error_of([&] { test::sample_instance(manifest, n).plan(config); }).find("does not fit unsigned int"),
        std::string::npos)
        << n;
  }
}

// Traits of kernels of 64 registers: 4 blocks of 256 threads, 8 of 128 fit one multiprocessor.
std::optional<KernelTraits> compiled(const std::string&) {
  KernelTraits traits;
  traits.registers = 64;
  return traits;
}

TEST(Plan, GeometryFromTheCompiledKernel) {
  const std::string manifest =
      changed("grid = [\"blocks\"]", "grid = [\"kernel.blocks_per_sm * device.sm_count\"]");
  const Instance instance = test::sample_instance(manifest);
  Config config = instance.spec().default_config;
  EXPECT_EQ(first_kernel(instance.plan(config, compiled)).grid.x, 8u * 132);
  config.values[0] = Value::integer(256);
  EXPECT_EQ(first_kernel(instance.plan(config, compiled)).grid.x, 4u * 132);
  EXPECT_NE(error_of([&] { instance.plan(config); }).find("'kernel.blocks_per_sm' has no value here"),
            std::string::npos);
  EXPECT_EQ(instance.excluded(config), std::nullopt) << "not judged before it is compiled";
}

TEST(Plan, LateConstraintsAndLimits) {
  const Instance instance =
      test::sample_instance(changed("PACK * sizeof(T) <= 8", "kernel.blocks_per_sm >= 5"));
  Config config = instance.spec().default_config;
  EXPECT_EQ(instance.excluded_late(config, compiled), std::nullopt);
  config.values[0] = Value::integer(256);
  EXPECT_EQ(instance.excluded(config), std::nullopt);
  ASSERT_TRUE(instance.excluded_late(config, compiled).has_value());
  EXPECT_EQ(instance.excluded_late(config, compiled)->constraint, "kernel.blocks_per_sm >= 5");
  const auto few_threads = [](const std::string&) {
    KernelTraits traits;
    traits.max_threads_per_block = 64;
    return std::optional(traits);
  };
  EXPECT_EQ(instance.excluded_late(config, few_threads)->why, "the compiled kernel allows 64");
}

TEST(Plan, BufferSizedByTheCompiledKernel) {
  const std::string manifest =
      changed("elements = \"n * width\"\nrole = \"out\"",
              "elements = \"kernel.blocks_per_sm * device.sm_count\"\nrole = \"out\"");
  const Instance instance = test::sample_instance(manifest);
  EXPECT_EQ(instance.buffers(instance.spec().default_config, compiled)[1].elements, 8 * 132);
  EXPECT_THROW(instance.buffers(instance.spec().default_config), EvaluationError);
}

TEST(Plan, AlignmentThatIsNoPowerOfTwo) {
  const Instance instance =
      test::sample_instance(changed("alignment = \"PACK * sizeof(T)\"", "alignment = \"12\""));
  EXPECT_NE(
      error_of([&] { instance.buffers(instance.spec().default_config); }).find("is 12, no power of two"),
      std::string::npos);
}

}  // namespace
}  // namespace warptune::spec
