// Fuzz target: a sound SQLite file with our tables and any values in their columns, as somebody else's program could
// write it: no column has a type, nothing is required, nothing is unique.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "db/migrations/migrations.hpp"
#include "db/sqlite/connection.hpp"
#include "tests/db/support.hpp"
#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/use_database.hpp"

namespace warptune::fuzz {
namespace {

namespace fs = std::filesystem;
using db::sqlite::Access;
using db::sqlite::Connection;
using db::sqlite::Cursor;
using db::sqlite::Statement;

struct Column {
  std::string table, name;
};

std::vector<Column> columns_of(Connection& connection) {
  Statement statement(
      connection,
      "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'");
  Cursor row(statement);
  std::vector<Column> columns;
  while (row.next()) columns.push_back({std::string(row.text(0)), std::string(row.text(1))});
  return columns;
}

struct Lax {
  fs::path file = scratch_folder() / "lax.db";
  std::vector<Column> columns;

  Lax() {
    const fs::path strict = scratch_folder() / "strict.db";
    db::test::make_sample(strict);
    {
      db::Store store = db::Store::open(strict, db::OpenMode::read_write);
      store.set_calibration({db::test::sample_device(), {{"event_tick_ns", 32.0}}, 1'700'000'000});
      store.add_reference_time(db::test::sample_reference_time());
    }
    Connection connection(file, Access::create);
    connection.execute("ATTACH '" + strict.string() + "' AS strict");
    std::vector<std::string> tables;
    {
      Statement statement(connection, "SELECT name FROM strict.sqlite_schema WHERE type = 'table'");
      Cursor row(statement);
      while (row.next()) tables.emplace_back(row.text(0));
    }
    // A table made of a SELECT has bare columns; "id" stays NULLable, too.
    for (const std::string& table : tables)
      connection.execute("CREATE TABLE " + table + " AS SELECT * FROM strict." + table);
    connection.execute("DETACH strict");
    connection.execute("PRAGMA application_id = " + std::to_string(db::application_id));
    connection.execute("PRAGMA user_version = " + std::to_string(db::latest_schema_version()));
    columns = columns_of(connection);
  }
};

// Takes bytes from the input; zeros once it is used up.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  std::int64_t integer() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return static_cast<std::int64_t>(value);
  }
  std::string text(std::size_t length) {
    length = length < left_ ? length : left_;
    std::string result(reinterpret_cast<const char*>(data_), length);
    data_ += length;
    left_ -= length;
    return result;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

// Five kinds of values; small integers come often, as they are ids, flags and alignments.
void set_value(Connection& connection, const Column& column, std::uint8_t kind, std::uint8_t row,
               Input& input) {
  Statement statement(connection,
                      "UPDATE " + column.table + " SET " + column.name + " = ?1 WHERE ?2 = 0 OR rowid = ?2");
  Cursor cursor(statement);
  switch (kind % 6) {
    case 0:
      statement.bind(std::nullopt);
      break;
    case 1:
      statement.bind(static_cast<int>(input.byte()) - 2);
      break;
    case 2:
      statement.bind(input.integer());
      break;
    case 3: {
      const std::int64_t bits = input.integer();
      double value = 0;
      static_assert(sizeof value == sizeof bits);
      std::memcpy(&value, &bits, sizeof value);
      statement.bind(value);
      break;
    }
    case 4:
      statement.bind(input.text(input.byte()));
      break;
    default: {
      const std::string text = input.text(input.byte());
      statement.bind(std::as_bytes(std::span(text)));
      break;
    }
  }
  statement.bind(static_cast<int>(row % 3));
  cursor.finish();
}

}  // namespace
}  // namespace warptune::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warptune::fuzz;
  static const Lax lax;
  const fs::path folder = scratch_folder() / "rows";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const fs::path file = folder / "tuning.db";
  fs::copy_file(lax.file, file);
  {
    Connection connection(file, Access::read_write);
    connection.execute("PRAGMA synchronous = OFF; BEGIN");
    Input input(data, size);
    while (!input.empty()) {
      const Column& column = lax.columns[input.byte() % lax.columns.size()];
      const std::uint8_t kind = input.byte(), row = input.byte();
      set_value(connection, column, kind, row, input);
    }
    connection.execute("COMMIT");
  }
  use_database(file);
  return 0;
}
