#include <gtest/gtest.h>

#include "tests/spec/sample.hpp"

namespace warptune::spec {
namespace {

using test::changed;
using test::error_of;
using Dims = std::map<std::string, std::int64_t, std::less<>>;

Config config(std::int64_t threads, std::int64_t pack, const char* mode) {
  return {{Value::integer(threads), Value::integer(pack), Value::word(mode)}};
}

std::string why_excluded(const Instance& instance, const Config& candidate) {
  const auto exclusion = instance.excluded(candidate);
  return exclusion ? exclusion->constraint + ": " + exclusion->why : "";
}

TEST(Instance, ChecksTheProblem) {
  const TemplatePtr spec = test::parse(test::sample_manifest);
  const auto message = [&](auto change) {
    Problem problem = test::sample_problem();
    change(problem);
    return error_of([&] { Instance(spec, problem, test::h200()); });
  };
  EXPECT_EQ(message([](Problem&) {}), "");
  EXPECT_EQ(message([](Problem& p) { p.types["T"] = "double"; }),
            "type T of scale cannot be 'double'; allowed: float, __half");
  EXPECT_EQ(message([](Problem& p) { p.types.clear(); }),
            "type T of scale is not given; allowed: float, __half");
  EXPECT_EQ(message([](Problem& p) { p.types["U"] = "float"; }), "scale has no type 'U'; known: T");
  EXPECT_EQ(message([](Problem& p) { p.dims["n"] = -1; }),
            "dim n = -1 is negative; dims count elements: 0 or more");
  EXPECT_EQ(message([](Problem& p) { p.dims.erase("n"); }), "dim n of scale is not given; dims: n, width");
  EXPECT_EQ(message([](Problem& p) { p.dims["widht"] = 1; }),
            "scale has no dim 'widht'; did you mean 'width'?");
  EXPECT_EQ(message([](Problem& p) { p.attributes["order"] = "x"; }),
            "attribute order of scale cannot be 'x'; allowed: any, sorted");
}

TEST(Instance, VariantsExistWhereTheirTypesAre) {
  const std::string sections =
      "[[variant]]\nname = \"half only\"\nwhen = \"T == '__half'\"\n"
      "config = { THREADS = 64, PACK = 4, MODE = \"quick\" }\n"
      "[[variant]]\nname = \"any\"\nsummary = \"everywhere\"\nconfig = { THREADS = 256, PACK = 1, MODE = "
      "\"plain\" }\n";
  const TemplatePtr spec = test::parse(changed("[let]\n", sections + "[let]\n"));
  const auto of_half = Instance(spec, test::sample_problem(5, "__half"), test::h200()).variants();
  ASSERT_EQ(of_half.size(), 2u);
  EXPECT_EQ(of_half[0].name, "half only");
  EXPECT_EQ(of_half[0].config, config(64, 4, "quick"));
  EXPECT_EQ(of_half[0].numerics.key(), "approx");
  EXPECT_EQ(of_half[1].summary, "everywhere");
  EXPECT_EQ(of_half[1].numerics.key(), "exact");
  const auto of_float = Instance(spec, test::sample_problem(5, "float"), test::h200()).variants();
  ASSERT_EQ(of_float.size(), 1u);
  EXPECT_EQ(of_float[0].name, "any");
  EXPECT_EQ(spec->hash, test::parse(test::sample_manifest)->hash) << "variants change no code";
}

// H07: however a problem is spelled, it is one problem.
TEST(Instance, H07_AliasesAndUnstatedAttributesGiveOneKey) {
  const TemplatePtr spec = test::parse(test::sample_manifest);
  Problem stated = test::sample_problem(5, "__half");
  stated.attributes["order"] = "any";
  EXPECT_EQ(Instance(spec, test::sample_problem(5, "fp16"), test::h200()).problem(),
            Instance(spec, stated, test::h200()).problem());
}

TEST(Instance, ExclusionSaysWhich) {
  const Instance instance = test::sample_instance();
  EXPECT_EQ(why_excluded(instance, config(128, 1, "plain")), "");
  EXPECT_EQ(why_excluded(instance, config(128, 4, "plain")),
            "PACK * sizeof(T) <= 8: one load moves at most 8 bytes");
  EXPECT_EQ(why_excluded(instance, config(128, 1, "quick")),
            "MODE = quick: it is approx, the caller allows exact");
  EXPECT_EQ(why_excluded(instance, config(512, 1, "plain")),
            "THREADS = 512: the value is not in the tunable's list");
  EXPECT_THROW(instance.excluded(Config{}), Error);
}

TEST(Instance, AllowedClassesAdmitTheirValues) {
  Problem problem = test::sample_problem();
  problem.allowed.approx = true;
  const Instance instance(test::parse(test::sample_manifest), problem, test::h200());
  EXPECT_EQ(why_excluded(instance, config(128, 1, "quick")), "");
  EXPECT_TRUE(instance.numerics(config(128, 1, "quick")).approx);
  EXPECT_EQ(instance.numerics(config(128, 1, "plain")), Numerics{});
}

TEST(Instance, DeviceLimitsExclude) {
  DeviceTraits small = test::h200();
  small.max_threads_per_block = 128;
  small.max_grid_x = 7;
  const Instance instance(test::parse(test::sample_manifest), test::sample_problem(1000), small);
  EXPECT_EQ(
      why_excluded(instance, config(256, 2, "plain")),
      "block of 256 in scale<{T}, {THREADS}, {PACK}>: the device allows 1 to 128 x 128 x 64, 128 in all");
  // 1000 / 128 = 8 blocks with pack 1, 4 with pack 2.
  EXPECT_EQ(why_excluded(instance, config(128, 1, "plain")).substr(0, 10), "grid of 8 ");
  EXPECT_EQ(why_excluded(instance, config(128, 2, "plain")), "");
}

TEST(Instance, SharedMemoryLimitExcludes) {
  const Instance instance = test::sample_instance(
      changed("block = [\"THREADS\"]", "block = [\"THREADS\"]\nshared = \"THREADS * 1024\""));
  EXPECT_EQ(why_excluded(instance, config(128, 1, "plain")), "");
  EXPECT_EQ(why_excluded(instance, config(256, 1, "plain")),
            "262144 bytes of shared memory in scale<{T}, {THREADS}, {PACK}>: the device allows 232448 bytes "
            "per block");
}

TEST(Instance, EmptyGridExcludes) {
  const Instance instance = test::sample_instance(changed("grid = [\"blocks\"]", "grid = [\"n / 1024\"]"));
  EXPECT_EQ(why_excluded(instance, config(128, 1, "plain")).substr(0, 10), "grid of 0 ");
}

TEST(Instance, EvaluationErrorExcludesWithItsReason) {
  const std::string manifest =
      changed("PACK * sizeof(T) <= 8", "8 / (PACK - 1) > tile - 1000 * n || PACK == 1",
              changed("PACK = 1\n", "PACK = 2\n"));
  const Instance instance = test::sample_instance(manifest);
  EXPECT_EQ(why_excluded(instance, config(128, 1, "plain")),
            "8 / (PACK - 1) > tile - 1000 * n || PACK == 1: scale.toml:26:17: division by zero in "
            "`8 / (PACK - 1) > tile - 1000 * n || PACK == 1`");
  EXPECT_EQ(why_excluded(instance, config(128, 2, "plain")), "");
}

TEST(Instance, FailedLetIsNamedWhereItIsUsed) {
  const std::string manifest =
      changed("tile = \"THREADS * PACK\"", "tile = \"THREADS * PACK * (n - 1000 + 72057594037927936)\"");
  const Instance instance = test::sample_instance(manifest);
  const std::string why = why_excluded(instance, config(256, 1, "plain"));
  EXPECT_NE(why.find("scale.toml:22:24: integer overflow at '*' in `THREADS * PACK * ("), std::string::npos)
      << why;
}

TEST(Instance, AlsoDimsDropRepeatsTheTunedOnesAndThoseThatCannotBe) {
  const std::string manifest = test::sample_manifest + R"(
[[check.dims]]
n = "n - 1"
[[check.dims]]
n = "1"
[[check.dims]]
n = "n + 1"
width = "2 * width"
[[check.dims]]
n = "0"
)";
  EXPECT_EQ(test::sample_instance(manifest, 10).also_dims(), (std::vector<Dims>{{{"n", 9}, {"width", 1}},
                                                                                {{"n", 1}, {"width", 1}},
                                                                                {{"n", 11}, {"width", 2}},
                                                                                {{"n", 0}, {"width", 1}}}));
  EXPECT_EQ(test::sample_instance(manifest, 1).also_dims(),
            (std::vector<Dims>{{{"n", 0}, {"width", 1}}, {{"n", 2}, {"width", 2}}}));
  EXPECT_EQ(test::sample_instance(manifest, 0).also_dims(),
            (std::vector<Dims>{{{"n", 1}, {"width", 1}}, {{"n", 1}, {"width", 2}}}));
  // n + 1 overflows, n - 1 does not.
  EXPECT_EQ(
      test::sample_instance(changed("n * width\"\nrole = \"in\"", "n\"\nrole = \"in\"", manifest), INT64_MAX)
          .also_dims()
          .size(),
      3u);
}

TEST(Instance, WithDimsKeepsTheRest) {
  const Instance instance = test::sample_instance();
  const Instance other = instance.with_dims({{"n", 7}, {"width", 3}});
  EXPECT_EQ(other.problem().dims.at("n"), 7);
  EXPECT_EQ(other.problem().types, instance.problem().types);
  EXPECT_THROW(instance.with_dims({{"n", -7}, {"width", 3}}), Error);
  EXPECT_THROW(instance.with_dims({{"n", 7}}), Error);
}

TEST(Instance, CheckInputsByConfig) {
  const std::string manifest = changed("tolerance = 1e-5", "tolerance = 1e-5\nwhen = \"PACK == 1\"") +
                               "[[check.input]]\nfill = \"whole\"\ntolerance = 0\n";
  const Instance instance = test::sample_instance(manifest);
  ASSERT_EQ(instance.check_inputs(config(128, 1, "plain")).size(), 2u);
  ASSERT_EQ(instance.check_inputs(config(128, 2, "plain")).size(), 1u);
  EXPECT_EQ(instance.check_inputs(config(128, 2, "plain"))[0].fill, "whole");
}

TEST(Instance, CostIsOptional) {
  EXPECT_EQ(test::sample_instance().cost_bytes(), std::nullopt);
  const std::string manifest = test::sample_manifest + "[cost]\nbytes = \"2 * n * width * sizeof(T)\"\n";
  EXPECT_EQ(test::sample_instance(manifest).cost_bytes(), 8000);
  EXPECT_EQ(test::sample_instance(manifest).cost_flops(), std::nullopt);
}

TEST(Instance, PreludeDefinesTypesAndTunables) {
  EXPECT_EQ(test::sample_instance().prelude(config(128, 1, "plain")), "");
  const Instance instance =
      test::sample_instance(changed("source = \"scale.cu\"", "source = \"scale.cu\"\ndefines = true"));
  EXPECT_EQ(
      instance.prelude(config(128, 1, "plain")),
      "#include <cuda_fp16.h>\n#define T float\n#define THREADS 128\n#define PACK 1\n#define MODE plain\n"
      "#define MODE_IS_plain 1\n#line 1 \"scale.cu\"\n");
}

}  // namespace
}  // namespace warptune::spec
