// docs/templates.md shows what works, and names all there is.
#include <gtest/gtest.h>

#include <warptune/base/file.hpp>
#include <warptune/spec/element_type.hpp>
#include <warptune/spec/space.hpp>

#include "kernel_templates/spec/analysis.hpp"
#include "tests/spec/sample.hpp"

namespace warptune::spec {
namespace {

std::string page() { return read_file(WARPTUNE_SOURCE_DIR "/docs/templates.md"); }

// The text of the n-th code block of a language, counted from 0.
std::string block(const std::string& language, int index) {
  const std::string text = page();
  const std::string fence = "```" + language + "\n";
  std::size_t at = text.find(fence);
  for (int i = 0; i < index; ++i) at = text.find(fence, at + 1);
  at += fence.size();
  return text.substr(at, text.find("```", at) - at);
}

TEST(TemplatePage, ExampleIsAValidTemplate) {
  const TemplatePtr spec = parse_template(block("toml", 0), block("cuda", 0), "scale.toml");
  Problem problem;
  problem.types["T"] = "half";
  problem.dims["n"] = 1000;
  const Instance instance(spec, problem, test::h200());
  EXPECT_EQ(Space(instance).count(), 12);
  EXPECT_EQ(instance.entries(spec->default_config), (std::vector<std::string>{"scale<__half, 256, 1>"}));
  EXPECT_EQ(instance.cost_bytes(), 4000);
}

TEST(TemplatePage, SecondExampleReplacesSectionsOfTheFirst) {
  std::string text = block("toml", 0);
  const std::string second = block("toml", 1);
  const auto section = [](const std::string& manifest, const std::string& from, const std::string& to) {
    const std::size_t begin = manifest.find(from);
    return manifest.substr(begin, manifest.find(to) - begin);
  };
  for (const auto& [from, to] : {std::pair("[kernel]", "[problem]"), std::pair("[tunables]", "[let]")}) {
    const std::string next = std::string(from) == "[kernel]" ? "[tunables]" : "[[step]]";
    text = test::changed(section(text, from, to), section(second, from, next), text);
  }
  text = test::changed("\"scale<{T}, {THREADS}, {PACK}>\"", "\"scale\"", text);
  text = test::changed("\"scale_reference<{T}>\"", "\"scale_reference\"", text);
  const TemplatePtr spec = parse_template(text, block("cuda", 1), "scale.toml");
  EXPECT_TRUE(spec->defines);
  EXPECT_EQ(to_text(*spec, spec->default_config), "THREADS=256 PACK=1 MODE=add");
  EXPECT_NE(block("cuda", 1).find("MODE_IS_add"), std::string::npos);
}

TEST(TemplatePage, NamesEveryLimitTraitAndType) {
  const std::string text = page();
  for (const std::string& name : device_limit_names())
    EXPECT_NE(text.find("`" + name + "`"), std::string::npos) << name;
  for (const std::string& name : kernel_trait_names())
    EXPECT_NE(text.find("`" + name + "`"), std::string::npos) << name;
  for (const ElementType& type : element_types()) {
    if (!type.is_floating) continue;
    EXPECT_NE(text.find(type.name), std::string::npos) << type.name;
  }
}

}  // namespace
}  // namespace warptune::spec
