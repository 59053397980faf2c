// Reading a file with a live WAL or journal that may not be opened in place: a copy of both is read instead.
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <system_error>

#include <warptune/base/temporary_folder.hpp>

#include "db/sqlite/open.hpp"

namespace warptune::db::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> copied_suffixes{"", "-wal", "-journal"};

// Changes whenever one of the files is written.
using Fingerprint = std::array<std::array<std::int64_t, 4>, copied_suffixes.size()>;

Fingerprint fingerprint(const fs::path& file) {
  Fingerprint result{};
  for (std::size_t i = 0; i < copied_suffixes.size(); ++i) {
    struct stat info {};
    if (::stat(side_file(file, copied_suffixes[i]).c_str(), &info) != 0) continue;
    result[i] = {static_cast<std::int64_t>(info.st_ino), info.st_size, info.st_mtim.tv_sec,
                 info.st_mtim.tv_nsec};
  }
  return result;
}

void copy_files(const fs::path& from, const fs::path& to) {
  for (const char* suffix : copied_suffixes) {
    const fs::path source = side_file(from, suffix);
    const fs::path target = to.string() + suffix;
    std::error_code code;
    fs::remove(target, code);  // of an attempt before
    if (!fs::exists(source, code)) continue;
    fs::copy_file(source, target, code);
    if (code) {
      throw Error(ErrorKind::io, fmt::format("cannot copy {}: {}", source.string(), code.message()),
                  "check its permissions and the space in the temporary folder", code.value());
    }
    fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write, code);
  }
}

}  // namespace

std::unique_ptr<Connection> open_private_copy(const fs::path& file) {
  const TemporaryFolder folder;
  const fs::path copy = folder.path() / "copy.db";
  // A copy taken while somebody writes can mix old and new pages.
  constexpr int attempts = 20;
  for (int attempt = 0;; ++attempt) {
    const Fingerprint before = fingerprint(file);
    copy_files(file, copy);
    if (fingerprint(file) == before) break;
    if (attempt == attempts) {
      throw Error(ErrorKind::database, fmt::format("{} is being written all the time", file.string()),
                  "try again when the other process has ended");
    }
  }
  auto connection = std::make_unique<Connection>(copy, Access::read_write);
  connection->show_as(file);
  // Folds the WAL in; afterwards one open file is all that reading needs, and its name can go.
  connection->execute("PRAGMA journal_mode = DELETE");
  return connection;
}

}  // namespace warptune::db::sqlite
