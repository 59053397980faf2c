#include <warptune/spec/template_spec.hpp>

#include <gtest/gtest.h>

#include "tests/spec/sample.hpp"

namespace warptune::spec {
namespace {

using test::error_of;

TEST(Config, TextAndNamesRoundTrip) {
  const TemplatePtr spec = test::parse(test::sample_manifest);
  EXPECT_EQ(to_text(*spec, spec->default_config), "THREADS=128 PACK=1 MODE=plain");
  const auto named = to_named(*spec, spec->default_config);
  EXPECT_EQ(named.at("MODE"), Value::word("plain"));
  EXPECT_EQ(from_named(*spec, named), spec->default_config);
}

// H04: what a database holds need not fit the template.
TEST(Config, H04_StoredConfigThatDoesNotFitIsRefused) {
  const TemplatePtr spec = test::parse(test::sample_manifest);
  auto named = to_named(*spec, spec->default_config);
  named["THREADS"] = Value::integer(512);
  EXPECT_EQ(error_of([&] { from_named(*spec, named); }),
            "THREADS = 512 is not among the values of scale; allowed: 64, 128, 256");
  named["THREADS"] = Value::word("64");
  EXPECT_NE(error_of([&] { from_named(*spec, named); }), "") << "a word is no integer";
  named["THREADS"] = Value::integer(64);
  named["PAKC"] = Value::integer(1);
  EXPECT_EQ(error_of([&] { from_named(*spec, named); }), "scale has no tunable 'PAKC'; did you mean 'PACK'?");
  named.erase("PAKC");
  named.erase("MODE");
  EXPECT_EQ(error_of([&] { from_named(*spec, named); }),
            "config of scale lacks the tunable MODE; give one value per tunable");
}

TEST(Config, HashFollowsEquality) {
  const TemplatePtr spec = test::parse(test::sample_manifest);
  Config other = spec->default_config;
  EXPECT_EQ(ConfigHash()(other), ConfigHash()(spec->default_config));
  other.values[1] = Value::integer(4);
  EXPECT_NE(ConfigHash()(other), ConfigHash()(spec->default_config));
}

TEST(TemplateSpec, IndexByName) {
  const TemplatePtr spec = test::parse(test::sample_manifest);
  EXPECT_EQ(spec->buffer_index("y"), 1u);
  EXPECT_EQ(spec->tunable_index("PACK"), 1u);
  EXPECT_EQ(error_of([&] { spec->tunable_index("THREAD"); }),
            "scale has no tunable 'THREAD'; did you mean 'THREADS'?");
  EXPECT_THROW(spec->buffer_index("z"), Error);
}

}  // namespace
}  // namespace warptune::spec
