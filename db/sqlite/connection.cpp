#include "db/sqlite/connection.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <limits>

#include <warptune/base/text.hpp>

namespace warptune::db::sqlite {
namespace {

constexpr const char* damage_hint = "move the file away or bring back a copy; a missing file is made anew";

// SQLite URI of a path: everything that is not plain is escaped.
std::string immutable_uri(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char character : std::filesystem::absolute(file).string()) {
    const auto byte = static_cast<unsigned char>(character);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || byte == '/' || byte == '.' || byte == '_' ||
                       byte == '-';
    uri += plain ? std::string(1, character) : fmt::format("%{:02X}", byte);
  }
  return uri + "?immutable=1";
}

int open_flags(Access access) {
  constexpr int common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (access) {
    case Access::create:
      return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case Access::read_write:
      return common | SQLITE_OPEN_READWRITE;
    case Access::read_only:
      return common | SQLITE_OPEN_READONLY;
    case Access::immutable:
      return common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    case Access::memory:
      return common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
  }
  return common | SQLITE_OPEN_READONLY;
}

const char* kind_of(int type) {
  switch (type) {
    case SQLITE_INTEGER:
      return "an integer";
    case SQLITE_FLOAT:
      return "a real number";
    case SQLITE_TEXT:
      return "a text";
    case SQLITE_BLOB:
      return "a blob";
    default:
      return "NULL";
  }
}

// `words`: SQLite's own, which quote from the file.
Error translate(int code, const std::string& file, const std::string& words) {
  const std::string detail = one_line(words);
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
      return damaged(file, detail);
    case SQLITE_NOTADB:
      return Error(ErrorKind::database, fmt::format("{} is not a database", file),
                   "name another file or move this one away", code);
    case SQLITE_FULL:
      return Error(ErrorKind::out_of_memory, fmt::format("no space left to write {}", file),
                   "free some space; what was stored before is kept", code);
    case SQLITE_NOMEM:
      return Error(ErrorKind::out_of_memory, fmt::format("out of memory while using {}", file),
                   "close other programs and try again", code);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return Error(ErrorKind::database, fmt::format("{} is locked by another process", file),
                   fmt::format("wait for it to end and try again (waited {} s)", busy_limit.count() / 1000),
                   code);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Error(ErrorKind::database, fmt::format("{} cannot be written ({})", file, detail),
                   "check the permissions of the file and its folder", code);
    case SQLITE_CANTOPEN:
      return Error(ErrorKind::database, fmt::format("{} cannot be opened ({})", file, detail),
                   "check the path and the permissions of the file and its folder", code);
    case SQLITE_CONSTRAINT:
      if (code == SQLITE_CONSTRAINT_FOREIGNKEY)
        return Error(ErrorKind::usage, fmt::format("{}: what the row belongs to is not stored", file),
                     "begin a run first; one that was begun was removed since", code);
      return Error(ErrorKind::usage, fmt::format("{}: a value breaks the schema ({})", file, detail),
                   "see db/SCHEMA.md for what each column holds", code);
    case SQLITE_IOERR:
      return Error(ErrorKind::database, fmt::format("reading or writing {} failed ({})", file, detail),
                   "check the disk and its free space", code);
    default:
      return Error(ErrorKind::database, fmt::format("{}: SQLite refused ({})", file, detail),
                   "check the file with `sqlite3 FILE 'PRAGMA integrity_check'`", code);
  }
}

}  // namespace

Error damaged(const std::filesystem::path& file, const std::string& detail) {
  return Error(ErrorKind::database, fmt::format("{} is damaged ({})", file.string(), one_line(detail)),
               damage_hint, SQLITE_CORRUPT);
}

Unreadable::Unreadable(std::string detail)
    : Error(ErrorKind::database, "the database is damaged (" + one_line(detail) + ")", damage_hint,
            SQLITE_CORRUPT),
      detail_(one_line(detail)) {}

bool is_busy(const Error& error) {
  const long code = error.native_code().value_or(SQLITE_OK) & 0xff;
  return error.kind() == ErrorKind::database &&
         (code == SQLITE_BUSY || code == SQLITE_LOCKED || code == SQLITE_PROTOCOL);
}

bool is_damage(const Error& error) {
  const long code = error.native_code().value_or(SQLITE_OK) & 0xff;
  return error.kind() == ErrorKind::database && (code == SQLITE_CORRUPT || code == SQLITE_NOTADB);
}

Connection::Connection(const std::filesystem::path& file, Access access, const std::string& vfs)
    : path_(file) {
  const std::string name = access == Access::immutable ? immutable_uri(file)
                           : access == Access::memory
                               ? std::string(":memory:")
                               // A leading ":" or "file:" means something else to SQLite.
                               : std::filesystem::absolute(file).string();
  const int code =
      sqlite3_open_v2(name.c_str(), &handle_, open_flags(access), vfs.empty() ? nullptr : vfs.c_str());
  if (code != SQLITE_OK) {
    const Error error =
        translate(code, path_.string(), handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code));
    sqlite3_close_v2(handle_);
    throw error;
  }
  configure();
}

Connection::Connection(std::span<const std::byte> image, const std::filesystem::path& name)
    : Connection(name, Access::memory) {
  // With this flag SQLite only reads the bytes; its interface asks for pointers to what it might own otherwise.
  auto* const bytes = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(image.data()));
  const auto size = static_cast<sqlite3_int64>(image.size());
  const int code = sqlite3_deserialize(handle_, "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY);
  if (code != SQLITE_OK) fail(code);  // the first constructor has finished: the handle is closed
}

void Connection::configure() {
  sqlite3_busy_timeout(handle_, static_cast<int>(busy_limit.count()));
  // Files come from elsewhere too: what their schema says is not to be trusted.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

Connection::~Connection() { sqlite3_close_v2(handle_); }

bool Connection::writable() const { return sqlite3_db_readonly(handle_, "main") == 0; }

bool Connection::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

void Connection::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::optional<std::string> Connection::query_text(const std::string& sql) {
  Statement statement(*this, sql);
  Cursor cursor(statement);
  if (!cursor.next() || cursor.is_null(0)) return std::nullopt;
  return std::string(cursor.text(0));
}

std::int64_t Connection::query_integer(const std::string& sql) {
  Statement statement(*this, sql);
  Cursor cursor(statement);
  return cursor.next() ? cursor.integer(0) : 0;
}

std::int64_t Connection::last_insert_id() const { return sqlite3_last_insert_rowid(handle_); }

void Connection::fail(int code) const { throw translate(code, path_.string(), sqlite3_errmsg(handle_)); }

Statement::Statement(const Connection& connection, std::string_view sql) : connection_(connection) {
  const int code = sqlite3_prepare_v3(connection.handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
  if ((code & 0xff) == SQLITE_ERROR) throw damaged(connection.path(), sqlite3_errmsg(connection.handle_));
  if (code != SQLITE_OK) connection.fail(code);
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) connection_.fail(code);
}

Statement& Statement::bind(std::int64_t value) {
  check(sqlite3_bind_int64(handle_, next_parameter_++, value));
  return *this;
}

Statement& Statement::bind(double value) {
  check(sqlite3_bind_double(handle_, next_parameter_++, value));
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  // A null pointer would bind NULL.
  const char* data = value.data() ? value.data() : "";
  check(sqlite3_bind_text64(handle_, next_parameter_++, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(std::span<const std::byte> value) {
  check(value.empty()
            ? sqlite3_bind_zeroblob(handle_, next_parameter_++, 0)
            : sqlite3_bind_blob64(handle_, next_parameter_++, value.data(), value.size(), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind(std::nullopt_t) {
  check(sqlite3_bind_null(handle_, next_parameter_++));
  return *this;
}

void Statement::reset() noexcept {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  next_parameter_ = 1;
}

bool Cursor::next() {
  const int code = sqlite3_step(statement_.handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) statement_.connection_.fail(code);
  return false;
}

// One call to SQLite for the column; its value belongs to this thread as the connection does.
sqlite3_value* Cursor::value(int column) const { return sqlite3_column_value(statement_.handle_, column); }

sqlite3_value* Cursor::value(int column, int type) const {
  sqlite3_value* const found = value(column);
  if (sqlite3_value_type(found) == type) return found;
  throw Unreadable(fmt::format("column {} holds {}, not {}", sqlite3_column_name(statement_.handle_, column),
                               kind_of(sqlite3_value_type(found)), kind_of(type)));
}

std::int64_t Cursor::id() const { return sqlite3_column_int64(statement_.handle_, 0); }

std::int64_t Cursor::integer(int column) const { return sqlite3_value_int64(value(column, SQLITE_INTEGER)); }

int Cursor::small_integer(int column) const {
  const std::int64_t number = integer(column);
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
    throw Unreadable(fmt::format("column {} is out of range: {}",
                                 sqlite3_column_name(statement_.handle_, column), number));
  }
  return static_cast<int>(number);
}

bool Cursor::boolean(int column) const { return integer(column) != 0; }

double Cursor::real(int column) const { return sqlite3_value_double(value(column, SQLITE_FLOAT)); }

std::string_view Cursor::text(int column) const {
  sqlite3_value* const found = value(column, SQLITE_TEXT);
  const auto* data = reinterpret_cast<const char*>(sqlite3_value_text(found));
  return {data, static_cast<std::size_t>(sqlite3_value_bytes(found))};
}

std::span<const std::byte> Cursor::blob(int column) const {
  sqlite3_value* const found = value(column, SQLITE_BLOB);
  const auto* data = static_cast<const std::byte*>(sqlite3_value_blob(found));
  return {data, static_cast<std::size_t>(sqlite3_value_bytes(found))};
}

bool Cursor::is_null(int column) const { return sqlite3_value_type(value(column)) == SQLITE_NULL; }

std::optional<double> Cursor::optional_real(int column) const {
  sqlite3_value* const found = value(column);
  if (sqlite3_value_type(found) == SQLITE_FLOAT) return sqlite3_value_double(found);
  if (sqlite3_value_type(found) == SQLITE_NULL) return std::nullopt;
  return real(column);  // says what is wrong
}

Transaction::Transaction(Connection& connection) : connection_(connection) {
  connection_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  // SQLite has rolled back by itself after some errors, such as a full disk.
  if (open_ && connection_.in_transaction()) {
    try {
      connection_.execute("ROLLBACK");
    } catch (const Error&) {
      // Closing the connection rolls back too.
    }
  }
}

void Transaction::commit() {
  connection_.execute("COMMIT");
  open_ = false;
}

}  // namespace warptune::db::sqlite
