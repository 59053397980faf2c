// Whole-file operations: check, compact copy, setting a damaged file aside.
#include <fmt/format.h>

#include <array>
#include <system_error>

#include "db/sqlite/open.hpp"
#include "db/store_impl.hpp"

namespace warptune::db {
namespace {

namespace fs = std::filesystem;

bool is_intact(sqlite::Connection& connection) {
  try {
    return connection.query_text("PRAGMA integrity_check(1)") == "ok";
  } catch (const Error& error) {
    if (is_damage(error)) return false;
    throw;
  }
}

bool is_sound(const fs::path& file, const sqlite::FolderLock& lock) {
  try {
    return is_intact(*sqlite::open_readable(file, lock));
  } catch (const Error& error) {
    if (is_damage(error)) return false;
    throw;
  }
}

// The main file comes last: were it to go first, a new file could meet the old one's WAL.
constexpr std::array<const char*, 4> suffixes{"-wal", "-shm", "-journal", ""};

bool is_free(const fs::path& name) {
  std::error_code code;
  for (const char* suffix : suffixes) {
    if (fs::symlink_status(name.string() + suffix, code).type() != fs::file_type::not_found) return false;
  }
  return true;
}

}  // namespace

bool is_damage(const Error& error) { return sqlite::is_damage(error); }

bool Store::integrity_ok() const { return is_intact(*impl_->connection); }

void Store::compact_copy(const fs::path& to) const {
  std::error_code code;
  if (fs::exists(fs::symlink_status(to, code))) {
    throw Error(ErrorKind::bad_input, fmt::format("{} exists already", to.string()), "name a new file");
  }
  try {
    sqlite::Statement statement(*impl_->connection, "VACUUM INTO ?");
    sqlite::Cursor cursor(statement);
    statement.bind(fs::absolute(to).string());
    cursor.finish();
  } catch (const Error&) {
    fs::remove(to, code);
    throw;
  }
}

Contents Store::contents() const {
  Contents contents;
  sqlite::Connection& connection = *impl_->connection;
  for (const char* suffix : {"", "-wal", "-journal"}) {
    std::error_code code;
    const auto bytes = fs::file_size(sqlite::side_file(impl_->path, suffix), code);
    if (!code) contents.bytes += static_cast<std::int64_t>(bytes);
  }
  const auto count = [&](const char* table) {
    return connection.query_integer(fmt::format("SELECT count(*) FROM {}", table));
  };
  contents.devices = count("device");
  contents.problems = count("problem");
  contents.runs = count("run");
  contents.outcomes = count("outcome");
  contents.winners = connection.query_integer("SELECT count(*) FROM winner WHERE current = 1");
  if (contents.runs > 0) {
    contents.oldest_unix_s = connection.query_integer("SELECT min(started_unix_s) FROM run");
    contents.newest_unix_s = connection.query_integer("SELECT max(started_unix_s) FROM run");
  }
  return contents;
}

void Store::shrink() {
  impl_->require_writable();
  impl_->insert_outcome.reset();
  impl_->connection->execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
}

fs::path set_aside(const fs::path& file) {
  const fs::path source = sqlite::resolve(fs::absolute(file));
  const sqlite::FolderLock lock(source, sqlite::LockKind::exclusive);
  std::error_code code;
  if (!fs::exists(source, code) || is_sound(source, lock)) return {};
  fs::path target;
  for (int number = 1; target.empty() || !is_free(target); ++number) {
    target = fmt::format("{}.damaged-{}", source.string(), number);
  }
  for (const char* suffix : suffixes) {
    const fs::path from = source.string() + suffix;
    if (!fs::exists(from, code)) continue;
    fs::rename(from, target.string() + suffix, code);
    if (code) {
      throw Error(ErrorKind::io, fmt::format("cannot rename {}: {}", from.string(), code.message()),
                  "check the folder's permissions or name another file", code.value());
    }
  }
  return target;
}

}  // namespace warptune::db
