#include "runtime/compile/binary_cache.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include <warptune/base/error.hpp>
#include <warptune/base/file.hpp>
#include <warptune/base/hash.hpp>

namespace warptune::runtime {
namespace {

namespace fs = std::filesystem;

// First line of every key file. Changes whenever the layout below it does.
constexpr std::string_view format_line = "warptune kernel 2";

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return line;
}

// A kernel without its machine code. As text, one line each: format, blob, lowered name, the four traits, and the hash of the
// lines before: a file cut short by a power cut is not taken for a shorter name.
struct Record {
  std::string blob_hash;
  std::string lowered_name;
  spec::KernelTraits traits;
};

std::string to_text(const Record& record) {
  const spec::KernelTraits& traits = record.traits;
  std::string text = fmt::format("{}\n{}\n{}\n", format_line, record.blob_hash, record.lowered_name);
  for (const int value :
       {traits.registers, traits.local_bytes, traits.static_shared_bytes, traits.max_threads_per_block}) {
    text += fmt::format("{}\n", value);
  }
  return text + hash_hex(text) + "\n";
}

bool is_hash(std::string_view text) {
  return text.size() == hash_hex("").size() &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::optional<Record> parse_record(std::string_view text) {
  Record record;
  std::string_view rest = text;
  if (take_line(rest) != format_line) return std::nullopt;
  record.blob_hash = take_line(rest);
  if (!is_hash(record.blob_hash)) return std::nullopt;  // it becomes a file name
  record.lowered_name = take_line(rest);
  for (int* value : {&record.traits.registers, &record.traits.local_bytes, &record.traits.static_shared_bytes,
                     &record.traits.max_threads_per_block}) {
    const std::string_view line = take_line(rest);
    if (std::from_chars(line.data(), line.data() + line.size(), *value).ec != std::errc{})
      return std::nullopt;
  }
  const std::string_view checked = text.substr(0, text.size() - rest.size());
  if (rest != hash_hex(checked) + "\n") return std::nullopt;
  return record;
}

void remove_quietly(const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
}

// The time of a key file tells when it was last used, to the day.
constexpr std::chrono::hours mark_interval{24};

void mark_used(const fs::path& file) {
  std::error_code ignored;
  const auto now = fs::file_time_type::clock::now();
  const auto then = fs::last_write_time(file, ignored);
  if (!ignored && now - then > mark_interval) fs::last_write_time(file, now, ignored);
}

struct CacheFile {
  fs::path path;
  std::int64_t bytes = 0;
  fs::file_time_type time;
};

// Regular files below a folder; none where it cannot be read.
std::vector<CacheFile> files_below(const fs::path& folder) {
  std::vector<CacheFile> files;
  std::error_code code;
  for (fs::recursive_directory_iterator each(folder, code), end; !code && each != end; each.increment(code)) {
    std::error_code unreadable;
    if (each->is_symlink(unreadable) || !each->is_regular_file(unreadable)) continue;
    const auto bytes = each->file_size(unreadable);
    const auto time = each->last_write_time(unreadable);
    if (!unreadable) files.push_back({each->path(), static_cast<std::int64_t>(bytes), time});
  }
  return files;
}

std::string_view as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string BinaryCache::key(const CompileRequest& request, const std::string& entry,
                             const std::string& identity) {
  Hasher hasher;
  hasher.field(format_line).field(identity).field(request.architecture).field(request.program_name);
  hasher.field(request.source).field(entry);
  for (const std::string& option : request.options) hasher.field("option").field(option);
  for (const auto& [name, content] : request.headers) hasher.field("header").field(name).field(content);
  return hasher.hex();
}

fs::path BinaryCache::key_path(const std::string& key) const {
  return folder_ / "kernels" / key.substr(0, 2) / key;
}

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
    const std::optional<Record> record = parse_record(read_file(key_path(key)));
    if (!record) {
      remove_quietly(key_path(key));
      return nullptr;
    }
    Image bytes = image(record->blob_hash);
    if (!bytes) return nullptr;
    mark_used(key_path(key));
    return std::make_shared<const CompiledKernel>(
        CompiledKernel{entry, record->lowered_name, std::move(bytes), record->traits});
  } catch (const Error&) {
    return nullptr;  // no such file, or one that cannot be read
  }
}

void BinaryCache::store(const std::vector<std::string>& keys,
                        const std::vector<CompileResult>& results) const {
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
      publish_file(key_path(keys[i]), to_text({hash, kernel->lowered_name, kernel->traits}),
                   Durability::process);
    }
  } catch (const Error&) {
    // A full disk or a folder without permission: the kernels are in memory all the same.
  }
}

CachePruned BinaryCache::prune(std::int64_t unused_s, bool dry_run) const {
  CachePruned pruned;
  if (folder_.empty()) return pruned;
  const auto now = fs::file_time_type::clock::now();
  const auto remove = [&](const CacheFile& file, std::int64_t& count) {
    std::error_code code;
    if (!dry_run && (!fs::remove(file.path, code) || code)) return false;
    ++count;
    pruned.bytes += file.bytes;
    return true;
  };
  std::set<std::string> needed;
  for (const CacheFile& file : files_below(folder_ / "kernels")) {
    const bool unused = now - file.time >= std::chrono::seconds(unused_s);
    if (unused && remove(file, pruned.kernels)) continue;
    try {
      if (const auto record = parse_record(read_file(file.path))) needed.insert(record->blob_hash);
    } catch (const Error&) {
      // Gone meanwhile, or not readable: it needs nothing that it could load.
    }
  }
  // A binary is published before its kernels: a young one may be waiting for them.
  for (const CacheFile& file : files_below(folder_ / "binaries")) {
    const bool young = now - file.time <
                       std::min<std::chrono::seconds>(std::chrono::hours(1), std::chrono::seconds(unused_s));
    if (!young && !needed.contains(file.path.stem().string())) remove(file, pruned.binaries);
  }
  return pruned;
}

}  // namespace warptune::runtime
