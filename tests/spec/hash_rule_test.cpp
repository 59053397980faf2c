// What changes a template's hash and what does not (docs/templates.md, "The template's hash").
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include <warptune/base/file.hpp>

#include "tests/spec/sample.hpp"

namespace warptune::spec {
namespace {

using test::changed;

std::string hash(const std::string& manifest, const std::string& source = "// source") {
  return parse_template(manifest, source, "scale.toml")->hash;
}

TEST(HashRule, WhatDoesNotMatterToAStoredConfig) {
  const std::string original = hash(test::sample_manifest);
  EXPECT_EQ(hash("# a comment\n" + test::sample_manifest), original);
  EXPECT_EQ(hash(changed("THREADS = [64, 128, 256]", "THREADS = [128, 256, 512, 1024]")), original);
  EXPECT_EQ(hash(changed("summary = \"y[i] = 2 x[i]\"", "summary = \"other\"")), original);
  EXPECT_EQ(hash(changed("PACK = 1\n", "PACK = 2\n")), original) << "another default";
  EXPECT_EQ(hash(changed("PACK * sizeof(T) <= 8", "PACK * sizeof(T) <= 16")), original);
  EXPECT_EQ(hash(changed("tolerance = 1e-5", "tolerance = 1e-6")), original);
  EXPECT_EQ(hash(changed("tile = \"THREADS * PACK\"", "tile = \"THREADS*PACK\"")), original) << "blanks";
  EXPECT_EQ(parse_template(test::sample_manifest, "// source", "elsewhere.toml")->hash, original);
}

TEST(HashRule, WhatChangesWhatAConfigMeans) {
  const std::string original = hash(test::sample_manifest);
  EXPECT_NE(hash(test::sample_manifest, "// source "), original);
  EXPECT_NE(hash(changed("tile = \"THREADS * PACK\"", "tile = \"2 * THREADS * PACK\"")), original);
  EXPECT_NE(hash(changed("scale<{T}, {THREADS}, {PACK}>", "scale<{T}, {PACK}, {THREADS}>")), original);
  EXPECT_NE(hash(changed("grid = [\"blocks\"]", "grid = [\"blocks + 1\"]")), original);
  EXPECT_NE(hash(changed("source = \"scale.cu\"", "source = \"scale.cu\"\noptions = [\"--use_fast_math\"]")),
            original);
  EXPECT_NE(hash(changed("source = \"scale.cu\"", "source = \"scale.cu\"\ndefines = true")), original);
  EXPECT_NE(hash(changed("alignment = \"PACK * sizeof(T)\"", "alignment = \"16\"")), original);
  EXPECT_NE(hash(changed("args = [\"x\", \"y\",", "args = [\"y\", \"x\",")), original);
  const auto with_second_step = [](const std::string& begins) {
    return hash(
        changed("[check]", "[[step]]\nentry = \"more\"\nargs = [\"y\"]\ngrid = [\"1\"]\nblock = [\"32\"]\n" +
                               begins + "\n[check]"));
  };
  EXPECT_NE(with_second_step("programmatic = true"), with_second_step("programmatic = false"));
  EXPECT_EQ(with_second_step("programmatic = false"), with_second_step("")) << "the default, said aloud";
}

class HashOfFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "warptune_hash_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    publish_file(folder_ / "scale.toml",
                 changed("source = \"scale.cu\"", "source = \"scale.cu\"\nincludes = [\"inc\"]"));
    publish_file(folder_ / "scale.cu", "#include \"near.cuh\"\n");
    publish_file(folder_ / "near.cuh", "#include <far.cuh>\n");
    publish_file(folder_ / "inc/far.cuh", "int far();\n");
    publish_file(folder_ / "unused.cuh", "int unused();\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string load() const { return load_template(folder_ / "scale.toml")->hash; }

  std::filesystem::path folder_;
};

// H05: a header edited under its old time stamp is seen; touching changes nothing.
TEST_F(HashOfFiles, H05_HeaderEditedWithItsTimeStampKept) {
  const std::string original = load();
  const auto header = folder_ / "inc/far.cuh";
  const auto time = std::filesystem::last_write_time(header);
  publish_file(header, "int fat();\n");
  std::filesystem::last_write_time(header, time);
  EXPECT_NE(load(), original);
  publish_file(header, "int far();\n");
  EXPECT_EQ(load(), original);
}

TEST_F(HashOfFiles, H05_ThePartsSayWhichFileChanged) {
  const auto parts = [&] { return load_template(folder_ / "scale.toml")->hash_parts; };
  const auto changed_since = [&](const std::map<std::string, std::string>& before) {
    std::vector<std::string> names;
    for (const auto& [name, hash] : parts())
      if (!before.contains(name) || before.at(name) != hash) names.push_back(name);
    return names;
  };
  const auto original = parts();
  EXPECT_EQ(original.size(), 8u) << "three files and five parts of the manifest";
  publish_file(folder_ / "inc/far.cuh", "int fat();\n");
  EXPECT_EQ(changed_since(original), std::vector<std::string>{"far.cuh"});
  const auto second = parts();
  publish_file(folder_ / "scale.cu", "#include \"near.cuh\"\n\n");
  EXPECT_EQ(changed_since(second), std::vector<std::string>{"scale.cu"});
  const auto third = parts();
  publish_file(folder_ / "scale.toml", changed("grid = [\"blocks\"]", "grid = [\"blocks + 1\"]"));
  EXPECT_EQ(changed_since(third), std::vector<std::string>{"manifest: step"});
}

TEST_F(HashOfFiles, H05_TouchingChangesNothing) {
  const std::string original = load();
  for (const char* file : {"scale.toml", "scale.cu", "near.cuh", "inc/far.cuh"}) {
    std::filesystem::last_write_time(folder_ / file,
                                     std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  }
  EXPECT_EQ(load(), original);
  publish_file(folder_ / "unused.cuh", "int other();\n");
  EXPECT_EQ(load(), original) << "a header that nothing includes";
}

TEST_F(HashOfFiles, HeadersAreKeptByTheNameTheyAreIncludedUnder) {
  const TemplatePtr spec = load_template(folder_ / "scale.toml");
  ASSERT_EQ(spec->headers.size(), 2u);
  EXPECT_EQ(spec->headers.at("near.cuh"), "#include <far.cuh>\n");
  EXPECT_EQ(spec->headers.at("far.cuh"), "int far();\n");
}

TEST_F(HashOfFiles, MovingTheFolderChangesNothing) {
  const std::string original = load();
  const auto moved = folder_.string() + "_moved";
  std::filesystem::rename(folder_, moved);
  folder_ = moved;
  EXPECT_EQ(load(), original);
}

}  // namespace
}  // namespace warptune::spec
