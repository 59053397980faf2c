// Parts of the manifest format that the embedding template brought: dims with defaults, constraints for the search only, checks by
// bytes, distributions of ids. And the template's own spaces.
#include <algorithm>
#include <iostream>

#include <gtest/gtest.h>

#include <warptune/spec/problem_text.hpp>
#include <warptune/spec/space.hpp>

#include "tests/spec/sample.hpp"

namespace warptune::spec {
namespace {

using test::changed;
using test::error_of;
using test::parse;

const std::string dims_line = "dims = [\"n\", { name = \"width\", key = true }]";

std::string with_pitch(const std::string& value) {
  return changed(
      dims_line,
      "dims = [\"n\", { name = \"width\", key = true }, { name = \"pitch\", default = \"" + value + "\" }]");
}

TEST(DimDefault, FillsWhatTheCallerLeavesOut) {
  const TemplatePtr spec = parse(with_pitch("width * sizeof(T)"));
  Problem problem = test::sample_problem(1000, "__half");
  problem.dims["width"] = 5;
  EXPECT_EQ(Instance(spec, problem, test::h200()).problem().dims.at("pitch"), 10);
  problem.dims["pitch"] = 7;
  EXPECT_EQ(Instance(spec, problem, test::h200()).problem().dims.at("pitch"), 7);
  const Instance other = Instance(spec, problem, test::h200()).with_dims({{"n", 1}, {"width", 3}});
  EXPECT_EQ(other.problem().dims.at("pitch"), 6);
}

TEST(DimDefault, NeedNotBeWrittenOnTheCommandLine) {
  const TemplatePtr spec = parse(with_pitch("width"));
  ProblemText text;
  text.types = {"float"};
  text.dims = {"n=3 width=4"};
  EXPECT_FALSE(parse_problems(*spec, text).front().dims.contains("pitch"));
  text.dims = {"n=3 width=4 pitch=8,16"};
  const auto given = parse_problems(*spec, text);
  ASSERT_EQ(given.size(), 2u);
  EXPECT_EQ(given[1].dims.at("pitch"), 16);
}

TEST(DimDefault, MayNameTypesAndGivenDimsOnly) {
  EXPECT_EQ(error_of([] { parse(with_pitch("PACK")); }).substr(0, 80),
            "scale.toml:8:75: a dim's default cannot depend on tunables ('PACK'); docs/templa");
  EXPECT_EQ(error_of([] { parse(with_pitch("pitch + 1")); }),
            "scale.toml:8:75: the default of 'pitch' names 'pitch', which has one itself; use dims that are "
            "always given");
  EXPECT_EQ(error_of([] { parse(with_pitch("n == 1")); }).substr(0, 48),
            "scale.toml:8:75: a dim's default is no integer");
}

TEST(SearchOnlyConstraint, ShrinksTheSpaceAndForbidsNothing) {
  const std::string manifest = changed(
      "why = \"one load moves at most 8 bytes\"",
      "why = \"one load moves at most 8 bytes\"\n\n[[constraint]]\nexpression = \"THREADS == 64\"\nwhy = "
      "\"more did not pay\"\nonly = \"search\"");
  const Instance instance = test::sample_instance(manifest);
  const Config config = instance.spec().default_config;  // THREADS = 128
  EXPECT_FALSE(instance.excluded(config));
  ASSERT_TRUE(instance.excluded_from_search(config));
  EXPECT_EQ(instance.excluded_from_search(config)->why, "more did not pay");
  const Space space(instance);
  EXPECT_EQ(space.count(), 2);  // THREADS 64, PACK 1 and 2, MODE plain
  EXPECT_FALSE(space.contains(config));
  for (const Config& found : space.list()) EXPECT_FALSE(instance.excluded_from_search(found));
}

TEST(SearchOnlyConstraint, KnowsNothingOfTheCompiledKernel) {
  const std::string manifest = changed("why = \"one load moves at most 8 bytes\"",
                                       "why = \"x\"\nonly = \"search\"\n\n[[constraint]]\nexpression = "
                                       "\"kernel.registers < 9\"\nwhy = \"y\"\nonly = \"search\"");
  EXPECT_NE(error_of([&] { parse(manifest); }).find("cannot depend on the compiled kernel"),
            std::string::npos);
}

const std::string ids =
    "[[buffer]]\nname = \"ids\"\ntype = \"int\"\nelements = \"n\"\nrole = \"in\"\nfill = \"index\"\nbound = "
    "\"n\"\n"
    "distribution = \"order\"\n\n[[step]]";

TEST(Distribution, NamesAnAttributeWhoseWordsItKnows) {
  const TemplatePtr spec = parse(changed("[[step]]", ids));
  EXPECT_EQ(spec->buffers[2].distribution, "order");  // its word: sorted
  EXPECT_NE(
      error_of([] {
        parse(changed("order = [\"sorted\"]", "order = [\"sorted\", \"gauss\"]", changed("[[step]]", ids)));
      }).find("allows 'gauss', which is no distribution; known: any, uniform, zipf, sorted, equal"),
      std::string::npos);
  EXPECT_NE(error_of([] {
              parse(changed("order = [\"sorted\"]", "odder = [\"sorted\"]", changed("[[step]]", ids)));
            }).find("names 'order', which is no attribute"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              parse(changed("alignment = \"PACK * sizeof(T)\"", "distribution = \"order\""));
            }).find("belongs to fill = \"index\""),
            std::string::npos);
}

TEST(CheckByBytes, HasNoScaleAndNoTolerance) {
  const std::string manifest =
      changed("tolerance = 1e-5", "index = \"outside\"",
              changed("[\"x\", \"reference\", \"scale\", {", "[\"x\", \"reference\", {",
                      changed("output = \"y\"", "compare = \"bytes\"\noutput = \"y\"")));
  const TemplatePtr spec = parse(manifest);
  EXPECT_TRUE(spec->check.bytes);
  EXPECT_TRUE(spec->check.inputs.front().outside);
  EXPECT_NE(error_of([&] {
              parse(changed("index = \"outside\"", "tolerance = 0", manifest));
            }).find("bytes are compared without tolerance"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              parse(changed("\"reference\", {", "\"reference\", \"scale\", {", manifest));
            }).find("argument 'scale' is no buffer"),
            std::string::npos);
}

Instance embedding(const std::string& type, std::int64_t v, std::int64_t n, std::int64_t h,
                   int capability = 90) {
  Problem problem;
  problem.types = {{"T", type}, {"I", "long long"}};
  problem.dims = {{"v", v}, {"n", n}, {"h", h}};
  DeviceTraits device = test::h200();
  device.compute_capability = capability;
  return {find_template("embedding"), problem, device};
}

// A few thousand at most, whatever the problem, and the default always valid.
TEST(EmbeddingSpace, StaysSmallAndKeepsItsDefault) {
  for (const auto& [v, n, h] : std::vector<std::array<std::int64_t, 3>>{{1024, 2048, 512},
                                                                        {1024, 4096, 1024},
                                                                        {50257, 16384, 768},
                                                                        {128256, 8192, 4096},
                                                                        {128256, 32768, 4096},
                                                                        {10, 7, 3}})
    for (const char* type : {"float", "__half"}) {
      const Instance instance = embedding(type, v, n, h);
      const std::int64_t count = Space(instance).count();
      std::cout << "embedding " << instance.problem().text() << ": " << count << " configs\n";
      EXPECT_GT(count, 10);
      EXPECT_LT(count, 5000);
      EXPECT_FALSE(instance.excluded(instance.spec().default_config));
    }
}

TEST(EmbeddingSpace, BulkCopiesNeedTheirHardware) {
  const auto has_bulk = [](const Instance& instance) {
    const auto configs = Space(instance).list();
    const std::size_t mapping = instance.spec().tunable_index("MAPPING");
    return std::any_of(configs.begin(), configs.end(),
                       [&](const Config& config) { return config.values[mapping].text() == "bulk"; });
  };
  EXPECT_TRUE(has_bulk(embedding("float", 100, 1000, 512)));
  EXPECT_FALSE(has_bulk(embedding("float", 100, 1000, 512, 80)));
  EXPECT_FALSE(has_bulk(embedding("float", 100, 1000, 513)));
}

TEST(EmbeddingSpace, PitchesBelowARowAreRefused) {
  const Instance instance = embedding("float", 10, 10, 8);
  const Instance overlapping =
      instance.with_dims({{"v", 10}, {"n", 10}, {"h", 8}, {"table_pitch", 8}, {"output_pitch", 4}});
  ASSERT_TRUE(overlapping.excluded(instance.spec().default_config));
  EXPECT_EQ(overlapping.excluded(instance.spec().default_config)->why,
            "a pitch is at least h, or rows would overlap");
}

}  // namespace
}  // namespace warptune::spec
