// The project's own text files, read for the layout test: build folders and hidden folders are left out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::layout {

struct SourceFile {
  std::string path;  // relative to the project's root, with '/'
  std::vector<std::string> lines;
};

// What an #include line names. Quoted: relative to the project's root.
struct Include {
  std::string target;
  bool quoted = false;
};

// All text files with an extension that the project writes, sorted by path.
std::vector<SourceFile> project_files(const std::filesystem::path& root);

std::vector<Include> includes_of(const SourceFile& file);

// True for files that end up in the libraries or the program: not tests, examples, benchmarks or scripts.
bool is_product(const SourceFile& file);

bool is_cpp(const SourceFile& file);

// Library that a path or an include target belongs to: base, spec, db, runtime, tuner; empty for none.
std::string part_of(const std::string& path);

}  // namespace warptune::layout
