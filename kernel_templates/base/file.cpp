#include <warptune/base/error.hpp>
#include <warptune/base/file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace warptune {
namespace {

[[noreturn]] void fail(const char* action, const std::filesystem::path& path, int code) {
  throw Error(ErrorKind::io, fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(code)),
              "check the path, its permissions and the free space", code);
}

// Closes on every way out.
struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

void write_all(int descriptor, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("write", path, errno);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Makes what is missing; nobody but the owner may write there, whatever the umask. An errno value; 0: done.
int make_folders(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return 0;
  if (const int code = make_folders(folder.parent_path() == folder ? "" : folder.parent_path()); code != 0)
    return code;
  if (::mkdir(folder.c_str(), 0755) == 0) return 0;
  const int code = errno;
  // Another process was first; "x/" and "x/." name a folder that was made a step before.
  return std::filesystem::is_directory(folder, ignored) ? 0 : code;
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::size_t limit_bytes) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw Error(ErrorKind::not_found, fmt::format("no file {}", path.string()), "check the path", ENOENT);
  }
  if (std::filesystem::is_directory(status)) {
    throw Error(ErrorKind::io, fmt::format("{} is a folder", path.string()), "name a file", EISDIR);
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail("open", path, errno);
  std::string content;
  char chunk[65536];
  while (stream.read(chunk, sizeof chunk) || stream.gcount() > 0) {
    content.append(chunk, static_cast<std::size_t>(stream.gcount()));
    if (content.size() > limit_bytes) {
      throw Error(ErrorKind::io, fmt::format("{} is larger than {} bytes", path.string(), limit_bytes),
                  "name a smaller file", EFBIG);
    }
  }
  if (stream.bad()) fail("read", path, errno);
  return content;
}

void publish_file(const std::filesystem::path& path, std::string_view content, Durability durability) {
  if (path.has_parent_path()) {
    const int code = make_folders(path.parent_path());
    if (code != 0) fail("create the folder of", path, code);
  }
  std::string temporary = path.string() + ".XXXXXX";
  Descriptor file{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (file.value < 0) fail("create", path, errno);
  try {
    write_all(file.value, content, path);
    if (durability == Durability::power_cut && ::fsync(file.value) != 0) fail("write", path, errno);
    if (::fchmod(file.value, 0644) != 0) fail("set the permissions of", path, errno);
    if (::rename(temporary.c_str(), path.c_str()) != 0) fail("publish", path, errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

}  // namespace warptune
