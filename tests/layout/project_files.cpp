#include "tests/layout/project_files.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <string_view>
#include <utility>

namespace warptune::layout {
namespace {

namespace fs = std::filesystem;

bool is_skipped_folder(const std::string& name) {
  return name.starts_with("build") || (name.starts_with(".") && name != ".ci");
}

bool is_text(const fs::path& path) {
  static constexpr std::array extensions = {".cpp",   ".hpp", ".cu", ".cuh", ".toml", ".sql", ".in",
                                            ".cmake", ".txt", ".sh", ".py",  ".md",   ".json"};
  const std::string extension = path.extension().string();
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end() ||
         path.parent_path().filename() == ".ci";
}

SourceFile read(const fs::path& root, const fs::path& path) {
  SourceFile file{fs::relative(path, root).generic_string(), {}};
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
  return file;
}

}  // namespace

std::vector<SourceFile> project_files(const fs::path& root) {
  std::vector<SourceFile> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator();
       ++entry) {
    if (entry->is_directory()) {
      if (is_skipped_folder(entry->path().filename().string())) entry.disable_recursion_pending();
    } else if (is_text(entry->path())) {
      files.push_back(read(root, entry->path()));
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

std::vector<Include> includes_of(const SourceFile& file) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::vector<Include> found;
  for (const std::string& line : file.lines) {
    if (std::smatch match; std::regex_search(line, match, pattern)) {
      found.push_back({match[2].str(), match[1].str() == "\""});
    }
  }
  return found;
}

bool is_product(const SourceFile& file) { return !part_of(file.path).empty(); }

bool is_cpp(const SourceFile& file) {
  return file.path.ends_with(".cpp") || file.path.ends_with(".hpp") || file.path.ends_with(".cpp.in");
}

std::string part_of(const std::string& path) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> parts = {{
      {"kernel_templates/base/", "base"},
      {"kernel_templates/include/warptune/base/", "base"},
      {"warptune/base/", "base"},
      {"kernel_templates/", "spec"},
      {"warptune/spec/", "spec"},
      {"db/", "db"},
      {"warptune/db/", "db"},
      {"runtime/", "runtime"},
      {"warptune/runtime/", "runtime"},
      {"tuner/", "tuner"},
  }};
  for (const auto& [prefix, part] : parts) {
    if (path.starts_with(prefix)) return std::string(part);
  }
  return path.starts_with("warptune/tuner/") ? "tuner" : "";
}

}  // namespace warptune::layout
