#include "db/sqlite/open.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <random>
#include <system_error>
#include <thread>

#include "db/migrations/migrations.hpp"

namespace warptune::db::sqlite {
namespace {

namespace fs = std::filesystem;

bool accessible(const fs::path& path, int mode) {
  return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

bool has_content(const fs::path& path) {
  std::error_code code;
  const auto bytes = fs::file_size(path, code);
  return !code && bytes > 0;
}

// Whether the file is there; says clearly what can be said without SQLite.
bool check_path(const fs::path& file) {
  std::error_code code;
  const fs::file_status status = fs::status(file, code);
  if (status.type() == fs::file_type::not_found) return false;
  if (status.type() == fs::file_type::directory) {
    throw Error(ErrorKind::database, fmt::format("{} is a folder", file.string()), "name a file");
  }
  if (status.type() == fs::file_type::none && code != std::errc::permission_denied) {
    throw Error(ErrorKind::database, fmt::format("{} cannot be read: {}", file.string(), code.message()),
                "check the path");
  }
  if (status.type() == fs::file_type::none || !accessible(file, R_OK)) {
    throw Error(ErrorKind::database, fmt::format("{} cannot be read: no permission", file.string()),
                "check the permissions of the file and its folder");
  }
  // A pipe would block for ever.
  if (status.type() != fs::file_type::regular) {
    throw Error(ErrorKind::database, fmt::format("{} is not a regular file", file.string()), "name a file");
  }
  return true;
}

Error not_found(const fs::path& file) {
  return Error(ErrorKind::not_found, fmt::format("no database {}", file.string()),
               "check the path, or make one with `warptune tune`");
}

void require_write_permission(const fs::path& file, bool exists) {
  const fs::path target = resolve(file);
  const fs::path folder = folder_of(target);
  std::error_code code;
  if (!exists && !fs::is_directory(folder, code)) {
    throw Error(ErrorKind::database,
                fmt::format("{} cannot be made: no folder {}", file.string(), folder.string()),
                "make the folder first");
  }
  if (exists && !accessible(target, W_OK)) {
    throw Error(ErrorKind::database, fmt::format("{} cannot be written: no permission", file.string()),
                "change its permissions or name another file");
  }
  if (!accessible(folder, W_OK | X_OK)) {
    throw Error(
        ErrorKind::database,
        fmt::format("{} cannot be written: no permission for its folder {}", file.string(), folder.string()),
        "change the folder's permissions or name another file");
  }
}

// SQLite's busy handler does not cover the switch to WAL, so the whole opening is tried again.
template <class Action>
auto retry_while_busy(Action action) {
  const auto deadline = std::chrono::steady_clock::now() + busy_limit;
  std::minstd_rand random(static_cast<unsigned>(::getpid()));
  for (;;) {
    try {
      return action();
    } catch (const Error& error) {
      if (!is_busy(error) || std::chrono::steady_clock::now() > deadline) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + random() % 20));
  }
}

// A WAL file on a file system without shared memory opens only under an exclusive lock; it leaves WAL there.
Identity leave_wal_without_shared_memory(Connection& connection) {
  connection.execute("PRAGMA locking_mode = EXCLUSIVE");
  const Identity identity = identify(connection);
  require_usable(identity, connection.path());
  connection.execute("PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL;");
  identify(connection);  // an access gives the exclusive lock back
  return identity;
}

std::unique_ptr<Connection> try_open_writable(const fs::path& file, bool create, const std::string& vfs) {
  auto connection = std::make_unique<Connection>(file, create ? Access::create : Access::read_write, vfs);
  Identity identity;
  try {
    identity = identify(*connection);
  } catch (const Error& error) {
    if (is_busy(error) || is_damage(error)) throw;
    identity = leave_wal_without_shared_memory(*connection);
  }
  require_usable(identity, file);
  if (identity.is_bundle)
    throw Error(ErrorKind::usage, fmt::format("{} is a bundle, which is only read", file.string()),
                "name the database that it was made of");
  if (!connection->writable()) {
    throw Error(ErrorKind::database, fmt::format("{} cannot be written", file.string()),
                "check its permissions and whether the disk is mounted read-only");
  }
  const bool wal = connection->query_text("PRAGMA journal_mode = WAL") == "wal";
  connection->execute(wal ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
  // Off while tables are made anew.
  connection->execute("PRAGMA foreign_keys = OFF");
  if (identity.schema_version < latest_schema_version()) migrate(*connection);
  connection->execute("PRAGMA foreign_keys = ON");
  return connection;
}

// Nothing where it cannot be opened that way.
std::unique_ptr<Connection> open_in_place(const fs::path& file, Access access) {
  try {
    auto connection = std::make_unique<Connection>(file, access);
    identify(*connection);
    return connection;
  } catch (const Error& error) {
    if (is_busy(error) || is_damage(error)) throw;
    return nullptr;
  }
}

std::unique_ptr<Connection> try_open_readable(const fs::path& file) {
  const fs::path target = resolve(file);
  // With write permission the ordinary way is safe: locks are taken, and the last to close clears the side
  // files away.
  if (accessible(target, W_OK) && accessible(folder_of(target), W_OK | X_OK)) {
    if (auto connection = open_in_place(file, Access::read_write)) return connection;
  }
  const bool live_wal = has_content(side_file(file, "-wal"));
  const bool live_journal = has_content(side_file(file, "-journal"));
  if (!live_wal && !live_journal) return std::make_unique<Connection>(file, Access::immutable);
  std::error_code code;
  // Without a -shm, reading the WAL would make one.
  if (!live_wal || fs::exists(side_file(file, "-shm"), code)) {
    if (auto connection = open_in_place(file, Access::read_only)) return connection;
  }
  return open_private_copy(file);
}

}  // namespace

fs::path side_file(const fs::path& file, const char* suffix) {
  fs::path side = resolve(file);
  side += suffix;
  return side;
}

std::unique_ptr<Connection> open_writable(const fs::path& file, bool create, const std::string& vfs) {
  const FolderLock lock(file, LockKind::shared);
  const bool exists = check_path(file);
  if (!exists && !create) throw not_found(file);
  require_write_permission(file, exists);
  return retry_while_busy([&] { return try_open_writable(file, create, vfs); });
}

std::unique_ptr<Connection> open_readable(const fs::path& file) {
  return open_readable(file, FolderLock(file, LockKind::shared));
}

std::unique_ptr<Connection> open_readable(const fs::path& file, const FolderLock&) {
  if (!check_path(file)) throw not_found(file);
  return retry_while_busy([&] {
    auto connection = try_open_readable(file);
    const Identity identity = identify(*connection);
    require_usable(identity, file);
    if (identity.kind == FileKind::empty) {
      connection = std::make_unique<Connection>(file, Access::memory);
      migrate(*connection);
    }
    return connection;
  });
}

}  // namespace warptune::db::sqlite
