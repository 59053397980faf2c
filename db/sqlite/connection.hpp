// Connections, statements, cursors and transactions of SQLite as owned handles. The only code that knows
// SQLite's header is connection.cpp. A connection and all that hangs on it belong to one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <warptune/base/error.hpp>

struct sqlite3;
struct sqlite3_stmt;
struct sqlite3_value;

namespace warptune::db::sqlite {

// How long a call waits for other processes before it fails.
inline constexpr std::chrono::milliseconds busy_limit{20'000};

enum class Access {
  create,      // read and write, made when missing
  read_write,  // must exist
  read_only,   // takes part in locking; in WAL mode the -shm file must be there already
  immutable,   // no locks and no side files: only while nobody writes
  memory,      // a private empty database; the path serves messages only
};

// A value in a row is missing or of another kind than the schema says. Readers catch it and pass over the
// row; where that is not possible it stands for a damaged file.
class Unreadable : public Error {
 public:
  explicit Unreadable(std::string detail);
  // Without the words around it.
  const std::string& detail() const noexcept { return detail_; }

 private:
  std::string detail_;
};

class Connection {
 public:
  // `vfs`: name of the SQLite file layer, empty for the default (tests use others). Errors: database,
  // out_of_memory.
  Connection(const std::filesystem::path& file, Access access, const std::string& vfs = {});
  // A database that lies in memory, for reading; nothing is copied, so `image` outlives the connection. `name` serves messages.
  Connection(std::span<const std::byte> image, const std::filesystem::path& name);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // The path that messages name, where it is not the file that was opened.
  void show_as(const std::filesystem::path& path) { path_ = path; }
  // False where SQLite fell back to reading because the file cannot be written.
  bool writable() const;
  bool in_transaction() const;

  // Runs all statements of `sql`, dropping rows.
  void execute(const std::string& sql);
  // First column of the first row; nothing without a row or with NULL.
  std::optional<std::string> query_text(const std::string& sql);
  std::int64_t query_integer(const std::string& sql);
  std::int64_t last_insert_id() const;

  // Throws the Error that an SQLite result code stands for; its native code is the extended code.
  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  void configure();
  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;
};

// A prepared statement. Values are bound in order: bind() counts up from the first parameter.
class Statement {
 public:
  // SQL of ours that does not fit the file means a damaged schema. Precondition: `connection` outlives the
  // statement.
  Statement(const Connection& connection, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::int64_t value);
  Statement& bind(int value) { return bind(std::int64_t{value}); }
  Statement& bind(bool value) { return bind(std::int64_t{value}); }
  Statement& bind(double value);  // NaN becomes NULL
  Statement& bind(std::string_view value);
  Statement& bind(const std::string& value) { return bind(std::string_view(value)); }
  Statement& bind(const char* value) { return bind(std::string_view(value)); }
  Statement& bind(std::span<const std::byte> value);
  Statement& bind(std::nullopt_t);
  template <class T>
  Statement& bind(const std::optional<T>& value) {
    return value ? bind(*value) : bind(std::nullopt);
  }

 private:
  friend class Cursor;
  void reset() noexcept;
  void check(int code) const;
  const Connection& connection_;
  sqlite3_stmt* handle_ = nullptr;
  int next_parameter_ = 1;
};

// One execution of a statement; resets it and forgets its values when it ends. Columns count from 0.
class Cursor {
 public:
  explicit Cursor(Statement& statement) : statement_(statement) {}
  ~Cursor() { statement_.reset(); }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  // Moves to the next row; false at the end. Errors: database, out_of_memory.
  bool next();
  // Runs to the end.
  void finish() {
    while (next()) {
    }
  }

  // Column 0 as the row's id; 0 where it is none. Never throws.
  std::int64_t id() const;
  // Each throws Unreadable on NULL or another kind of value. Views last until next().
  std::int64_t integer(int column) const;
  int small_integer(int column) const;  // Unreadable outside int
  bool boolean(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  std::span<const std::byte> blob(int column) const;
  bool is_null(int column) const;
  std::optional<double> optional_real(int column) const;

 private:
  sqlite3_value* value(int column) const;
  sqlite3_value* value(int column, int type) const;  // Unreadable when it is of another type
  Statement& statement_;
};

// BEGIN IMMEDIATE .. COMMIT; rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Connection& connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Connection& connection_;
  bool open_ = true;
};

// Whether another process was in the way.
bool is_busy(const Error& error);
// Whether the file itself is at fault: no database, or a damaged one.
bool is_damage(const Error& error);
// A database error with the code of a damaged file.
Error damaged(const std::filesystem::path& file, const std::string& detail);

}  // namespace warptune::db::sqlite
