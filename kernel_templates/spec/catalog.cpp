#include <warptune/spec/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>

#include <warptune/base/file.hpp>
#include <warptune/base/text.hpp>

#include "kernel_templates/spec/builtin.hpp"
#include "kernel_templates/spec/headers.hpp"
#include "kernel_templates/spec/manifest.hpp"
#include "kernel_templates/spec/manifest_reader.hpp"
#include "kernel_templates/spec/template_hash.hpp"

namespace warptune::spec {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_source_bytes = std::size_t{8} << 20;

TemplatePtr finish(Manifest manifest, std::string source, std::map<std::string, std::string> headers) {
  TemplateSpec& spec = manifest.spec;
  spec.source = std::move(source);
  spec.headers = std::move(headers);
  spec.hash = template_hash(spec);
  spec.hash_parts = template_hash_parts(spec);
  return std::make_shared<const TemplateSpec>(std::move(spec));
}

const BuiltinFile* find_builtin(std::string_view folder, std::string_view name) {
  for (const BuiltinFile& file : builtin_files()) {
    if (file.folder == folder && file.name == name) return &file;
  }
  return nullptr;
}

// A built-in template sees the files embedded from its own folder, and those that several share.
TemplatePtr load_builtin(const std::string& name) {
  const BuiltinFile* manifest_file = find_builtin(name, name + ".toml");
  if (manifest_file == nullptr) return nullptr;
  const std::string folder = "<built-in>/";
  Manifest manifest = read_manifest(manifest_file->content, folder + name + ".toml");
  const BuiltinFile* source = find_builtin(name, manifest.source_name);
  if (source == nullptr) {
    throw Error(ErrorKind::internal, fmt::format("built-in template {} lacks its source", name),
                "rebuild warptune");
  }
  manifest.spec.manifest_path = folder + name + ".toml";
  manifest.spec.source_path = folder + manifest.source_name;
  const HeaderLookup lookup = [&](const std::string& header, const std::string&,
                                  bool) -> std::optional<FoundHeader> {
    const BuiltinFile* file = find_builtin(name, header);
    if (file == nullptr) file = find_builtin("shared", header);
    if (file == nullptr) return std::nullopt;
    return FoundHeader{header, std::string(file->content)};
  };
  return finish(std::move(manifest), std::string(source->content), own_headers(source->content, lookup));
}

std::vector<fs::path> template_folders() {
  std::vector<fs::path> folders;
  const char* variable = std::getenv("WARPTUNE_TEMPLATE_PATH");
  std::string_view rest = variable == nullptr ? "" : variable;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

// FOLDER/name.toml, then FOLDER/name/name.toml.
std::optional<fs::path> find_on_path(const std::string& name) {
  for (const fs::path& folder : template_folders()) {
    for (const fs::path& path : {folder / (name + ".toml"), folder / name / (name + ".toml")}) {
      std::error_code code;
      if (fs::is_regular_file(path, code)) return path;
    }
  }
  return std::nullopt;
}

}  // namespace

TemplatePtr load_template(const fs::path& path) {
  Manifest manifest = read_manifest(read_file(path), path.string());
  TemplateSpec& spec = manifest.spec;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  spec.manifest_path = path;
  spec.source_path = folder / manifest.source_name;
  std::string source;
  try {
    source = read_file(spec.source_path, max_source_bytes);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", manifest.source_where.text(), error.what()),
                "[kernel] source is relative to the manifest", error.native_code());
  }
  spec.include_paths.push_back(folder);
  for (const std::string& include : manifest.includes) {
    const fs::path include_folder = folder / include;
    std::error_code code;
    if (!fs::is_directory(include_folder, code)) {
      manifest_fail(manifest.includes_where,
                    fmt::format("include folder {} does not exist", include_folder.string()),
                    "[kernel] includes are relative to the manifest");
    }
    spec.include_paths.push_back(include_folder);
  }
  const HeaderLookup lookup = file_lookup(spec.source_path.parent_path(), spec.include_paths);
  std::map<std::string, std::string> headers = own_headers(source, lookup);
  return finish(std::move(manifest), std::move(source), std::move(headers));
}

TemplatePtr parse_template(const std::string& manifest_text, const std::string& source,
                           const std::string& origin) {
  Manifest manifest = read_manifest(manifest_text, origin);
  manifest.spec.manifest_path = origin;
  manifest.spec.source_path = manifest.source_name;
  return finish(std::move(manifest), source, {});
}

TemplateTexts texts_of(const TemplateSpec& spec) {
  return {spec.manifest_path.string(), spec.manifest_text, spec.source_path.string(), spec.source,
          spec.headers};
}

TemplatePtr restore_template(const TemplateTexts& texts) {
  Manifest manifest = read_manifest(texts.manifest_text, texts.manifest_path);
  manifest.spec.manifest_path = texts.manifest_path;
  manifest.spec.source_path = texts.source_path;
  return finish(std::move(manifest), texts.source, texts.headers);
}

TemplatePtr find_template(std::string_view name_or_path) {
  const std::string name(name_or_path);
  if (name.ends_with(".toml")) return load_template(name);
  if (name.find('/') == std::string::npos && !name.empty()) {
    if (TemplatePtr builtin = load_builtin(name)) return builtin;
    if (const auto path = find_on_path(name)) {
      TemplatePtr found = load_template(*path);
      if (found->name == name) return found;
      throw Error(ErrorKind::bad_input,
                  fmt::format("{} defines kernel '{}', not '{}'", path->string(), found->name, name),
                  "give file and kernel one name");
    }
  }
  const std::vector<std::string> names = template_names();
  throw Error(ErrorKind::not_found, fmt::format("unknown kernel '{}'", name),
              name_hint(name, names) + " (or name a manifest, x.toml)");
}

std::vector<std::string> template_names() {
  std::set<std::string> names;
  for (const BuiltinFile& file : builtin_files()) {
    if (file.name == std::string(file.folder) + ".toml") names.emplace(file.folder);
  }
  for (const fs::path& folder : template_folders()) {
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder, code)) {
      const fs::path& path = entry.path();
      const bool inside =
          entry.is_directory(code) && fs::is_regular_file(path / (path.filename().string() + ".toml"), code);
      if (inside) names.insert(path.filename().string());
      if (path.extension() == ".toml" && entry.is_regular_file(code)) names.insert(path.stem().string());
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace warptune::spec
