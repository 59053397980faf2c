#include "runtime/compile/binary_cache.hpp"

#include <string_view>
#include <system_error>

#include <warptune/base/error.hpp>
#include <warptune/base/file.hpp>
#include <warptune/base/hash.hpp>

#include "runtime/compile/cubin.hpp"

namespace warptune::runtime {
namespace {

namespace fs = std::filesystem;

// First line of every key file. Changes whenever the layout below it does.
constexpr std::string_view format_line = "warptune kernel 1";

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return line;
}

void remove_quietly(const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
}

std::string_view as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string BinaryCache::key(const CompileRequest& request, const std::string& entry, const std::string& identity) {
  Hasher hasher;
  hasher.field(format_line).field(identity).field(request.architecture).field(request.source).field(entry);
  for (const std::string& option : request.options) hasher.field("option").field(option);
  for (const auto& [name, content] : request.headers) hasher.field("header").field(name).field(content);
  return hasher.hex();
}

fs::path BinaryCache::key_path(const std::string& key) const { return folder_ / "kernels" / key.substr(0, 2) / key; }

fs::path BinaryCache::blob_path(const std::string& hash) const {
  return folder_ / "binaries" / hash.substr(0, 2) / (hash + ".cubin");
}

Image BinaryCache::image(const std::string& hash) {
  const std::lock_guard lock(mutex_);
  if (Image known = images_[hash].lock()) return known;
  const std::string content = read_file(blob_path(hash));
  if (hash_hex(content) != hash) {
    remove_quietly(blob_path(hash));
    return nullptr;
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(content.data());
  auto loaded = std::make_shared<const std::vector<std::byte>>(bytes, bytes + content.size());
  images_[hash] = loaded;
  return loaded;
}

std::shared_ptr<const CompiledKernel> BinaryCache::load(const std::string& key, const std::string& entry) {
  if (folder_.empty()) return nullptr;
  try {
    const std::string record = read_file(key_path(key));
    std::string_view rest = record;
    const std::string_view format = take_line(rest);
    const std::string hash(take_line(rest));
    const std::string lowered(take_line(rest));
    const bool is_hash = hash.size() == 32 && hash.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (format != format_line || !is_hash || lowered.empty()) {
      remove_quietly(key_path(key));
      return nullptr;
    }
    Image bytes = image(hash);
    if (!bytes) return nullptr;
    auto kernel = std::make_shared<CompiledKernel>(CompiledKernel{entry, lowered, std::move(bytes), {}});
    const auto traits = cubin_kernels(*kernel->image);
    if (const auto found = traits.find(lowered); found != traits.end()) kernel->traits = found->second;
    return kernel;
  } catch (const Error&) {
    return nullptr;  // no such file, or one that cannot be read
  }
}

void BinaryCache::store(const std::vector<std::string>& keys, const std::vector<CompileResult>& results) const {
  if (folder_.empty()) return;
  try {
    std::string hash;
    Image written;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto& kernel = results[i].kernel;
      if (!kernel) continue;
      if (kernel->image != written) {
        hash = hash_hex(as_text(*kernel->image));
        publish_file(blob_path(hash), as_text(*kernel->image), Durability::process);
        written = kernel->image;
      }
      publish_file(key_path(keys[i]), std::string(format_line) + "\n" + hash + "\n" + kernel->lowered_name + "\n",
                   Durability::process);
    }
  } catch (const Error&) {
    // A full disk or a folder without permission: the kernels are in memory all the same.
  }
}

}  // namespace warptune::runtime
