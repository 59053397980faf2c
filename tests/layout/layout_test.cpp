// Holds the rules of docs/architecture.md: include direction, third-party headers, file length, no paths of one machine.
// Reads the source tree; needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/layout/project_files.hpp"

namespace warptune::layout {
namespace {

using Paths = std::set<std::string>;

class Layout : public ::testing::Test {
 protected:
  static const std::vector<SourceFile>& files() {
    static const std::vector<SourceFile> all = project_files(WARPTUNE_SOURCE_FOLDER);
    return all;
  }

  // Product files with an include whose target matches the pattern.
  static Paths product_files_including(const std::string& pattern) {
    const std::regex expression(pattern);
    Paths paths;
    for (const SourceFile& file : files()) {
      if (!is_product(file) || !is_cpp(file)) continue;
      for (const Include& include : includes_of(file)) {
        if (std::regex_match(include.target, expression)) paths.insert(file.path);
      }
    }
    return paths;
  }
};

TEST_F(Layout, ReadsTheWholeProject) {
  std::map<std::string, int> count;
  for (const SourceFile& file : files()) ++count[part_of(file.path)];
  for (const char* part : {"base", "spec", "db", "runtime", "tuner"}) EXPECT_GE(count[part], 5) << part;
  EXPECT_GE(count[""], 20) << "tests, examples, scripts";
}

TEST_F(Layout, IncludesGoOneWay) {
  const std::map<std::string, std::set<std::string>> allowed = {
      {"base", {"base"}},
      {"spec", {"base", "spec"}},
      {"db", {"base", "db"}},
      {"runtime", {"base", "spec", "db", "runtime"}},
      {"tuner", {"base", "spec", "db", "runtime", "tuner"}},
  };
  for (const SourceFile& file : files()) {
    if (!is_product(file) || !is_cpp(file)) continue;
    const std::string part = part_of(file.path);
    for (const Include& include : includes_of(file)) {
      const std::string target = part_of(include.target);
      if (include.quoted) {
        EXPECT_EQ(target, part) << file.path << " includes \"" << include.target
                                << "\": private headers stay in their library and are named from the root";
      } else if (!target.empty()) {
        EXPECT_TRUE(allowed.at(part).contains(target)) << file.path << " includes <" << include.target << ">";
      }
    }
  }
}

TEST_F(Layout, PublicHeadersIncludeOnlyTheStandardLibraryAndEachOther) {
  const std::regex standard("[a-z_0-9]+|std(def|int)\\.h");  // the latter in the header for C
  int seen = 0;
  for (const SourceFile& file : files()) {
    if (file.path.find("/include/warptune/") == std::string::npos) continue;
    ++seen;
    for (const Include& include : includes_of(file)) {
      EXPECT_TRUE(!include.quoted &&
                  (include.target.starts_with("warptune/") || std::regex_match(include.target, standard)))
          << file.path << " includes " << include.target;
    }
  }
  EXPECT_GE(seen, 20);
}

TEST_F(Layout, OneFileIncludesSqlite) { EXPECT_EQ(product_files_including("sqlite3\\.h").size(), 1u); }

TEST_F(Layout, CudaHeadersStayInTwoFolders) {
  const Paths paths = product_files_including(
      "(cuda|nvrtc|cublas|cuda_runtime|driver_types|vector_types|nvml|nvJitLink).*\\.h");
  EXPECT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    EXPECT_TRUE(path.starts_with("runtime/device/") || path.starts_with("runtime/compile/")) << path;
  }
}

TEST_F(Layout, HeavyHeadersAreIncludedByAtMostTwoSources) {
  for (const char* pattern : {"CLI/.*", "nlohmann/.*", "toml\\+\\+/.*", "boost/.*", "Eigen/.*"}) {
    const Paths paths = product_files_including(pattern);
    EXPECT_LE(paths.size(), 2u) << pattern;
    for (const std::string& path : paths) EXPECT_TRUE(path.ends_with(".cpp")) << pattern << " in " << path;
  }
}

TEST_F(Layout, HeadersSayWhatTheyAreForAndGuardThemselves) {
  for (const SourceFile& file : files()) {
    if (!file.path.ends_with(".hpp")) continue;
    const auto opening =
        file.lines.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, file.lines.size()));
    EXPECT_TRUE(
        std::any_of(file.lines.begin(), opening, [](const auto& line) { return line.starts_with("//"); }))
        << file.path << ": say in its first lines what it is for";
    EXPECT_EQ(std::count(file.lines.begin(), file.lines.end(), "#pragma once"), 1) << file.path;
  }
}

TEST_F(Layout, NoFileIsOver500Lines) {
  for (const SourceFile& file : files()) {
    if (file.path.ends_with(".md")) continue;
    EXPECT_LE(file.lines.size(), 500u) << file.path;
  }
}

TEST_F(Layout, NoPathOfOneMachine) {
  // In pieces, so that this file does not name what it looks for.
  const std::regex machine_path(std::string("/(ro") + "ot|ho" + "me|wo" + "rk)/[A-Za-z.]");
  for (const SourceFile& file : files()) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      EXPECT_FALSE(std::regex_search(file.lines[i], machine_path))
          << file.path << ':' << i + 1 << ": " << file.lines[i];
    }
  }
}

}  // namespace
}  // namespace warptune::layout
