#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <warptune/base/file.hpp>

#include "tests/spec/sample.hpp"

namespace warptune::spec {
namespace {

using test::changed;
using test::error_of;

class CatalogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "warptune_catalog_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    ::setenv("WARPTUNE_TEMPLATE_PATH", (":" + name + "/missing:" + name).c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("WARPTUNE_TEMPLATE_PATH");
    std::filesystem::remove_all(folder_);
  }
  static bool listed(const std::string& name) {
    const auto names = template_names();
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  std::filesystem::path folder_;
};

TEST_F(CatalogTest, BuiltInTemplatesLoad) {
  ASSERT_TRUE(listed("dot"));
  const TemplatePtr dot = find_template("dot");
  EXPECT_EQ(dot->name, "dot");
  EXPECT_EQ(dot->manifest_path, "<built-in>/dot.toml");
  EXPECT_NE(dot->source.find("dot_reference"), std::string::npos);
  EXPECT_EQ(dot->hash.size(), 32u);
  EXPECT_EQ(dot->hash, find_template("dot")->hash);
}

TEST_F(CatalogTest, FindsTemplatesOnThePathFlatAndInTheirFolder) {
  publish_file(folder_ / "scale.toml", test::sample_manifest);
  publish_file(folder_ / "scale.cu", "// flat");
  publish_file(folder_ / "other/other.toml", changed("name = \"scale\"", "name = \"other\""));
  publish_file(folder_ / "other/scale.cu", "// in its folder");
  EXPECT_TRUE(listed("scale"));
  EXPECT_TRUE(listed("other"));
  EXPECT_EQ(find_template("scale")->source, "// flat");
  EXPECT_EQ(find_template("other")->source, "// in its folder");
  EXPECT_EQ(find_template((folder_ / "other/other.toml").string())->name, "other");
}

TEST_F(CatalogTest, NameOfFileAndKernelMustAgreeOnThePath) {
  publish_file(folder_ / "twice.toml", test::sample_manifest);
  publish_file(folder_ / "scale.cu", "");
  EXPECT_NE(error_of([] { find_template("twice"); }).find("defines kernel 'scale', not 'twice'"),
            std::string::npos);
}

TEST_F(CatalogTest, UnknownNamesAndFiles) {
  EXPECT_EQ(error_of([] { find_template("dott"); }),
            "unknown kernel 'dott'; did you mean 'dot'? (or name a manifest, x.toml)");
  EXPECT_THROW(find_template(""), Error);
  EXPECT_THROW(find_template("../dot"), Error);
  const std::string missing = (folder_ / "none.toml").string();
  EXPECT_EQ(error_of([&] { find_template(missing); }).substr(0, 8 + missing.size()), "no file " + missing);
  EXPECT_NE(error_of([&] { load_template(folder_); }).find("is a folder"), std::string::npos);
}

TEST_F(CatalogTest, MissingSourceIsPlacedInTheManifest) {
  publish_file(folder_ / "scale.toml", test::sample_manifest);
  const std::string message = error_of([&] { load_template(folder_ / "scale.toml"); });
  EXPECT_NE(message.find("scale.toml:4:10: no file"), std::string::npos) << message;
}

TEST_F(CatalogTest, ManifestNeedsNoFolderInItsPath) {
  publish_file(folder_ / "scale.toml", test::sample_manifest);
  publish_file(folder_ / "scale.cu", "#include \"h.cuh\"");
  publish_file(folder_ / "h.cuh", "");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  const TemplatePtr spec = find_template("scale.toml");
  std::filesystem::current_path(before);
  EXPECT_EQ(spec->headers.size(), 1u);
}

// Texts of a template are enough for the same template, though its files are gone.
TEST_F(CatalogTest, TemplatesAreMadeAgainFromTheirTexts) {
  publish_file(folder_ / "scale.toml", test::sample_manifest);
  publish_file(folder_ / "scale.cu", "#include \"h.cuh\"");
  publish_file(folder_ / "h.cuh", "// own");
  for (const std::string& name : {(folder_ / "scale.toml").string(), std::string("dot")}) {
    const TemplatePtr loaded = find_template(name);
    const TemplateTexts texts = texts_of(*loaded);
    std::filesystem::remove(folder_ / "h.cuh");
    const TemplatePtr restored = restore_template(texts);
    EXPECT_EQ(restored->hash, loaded->hash) << name;
    EXPECT_EQ(restored->hash_parts, loaded->hash_parts) << name;
    EXPECT_EQ(restored->headers, loaded->headers) << name;
    EXPECT_EQ(restored->source_path, loaded->source_path) << name;
    EXPECT_EQ(restored->manifest_path, loaded->manifest_path) << name;
  }
}

}  // namespace
}  // namespace warptune::spec
