// What a Store holds. Included by the sources of Store only.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <warptune/db/store.hpp>

#include "db/sqlite/connection.hpp"

namespace warptune::db {

template <class Unit>
std::int64_t unix_now() {
  return std::chrono::duration_cast<Unit>(std::chrono::system_clock::now().time_since_epoch()).count();
}
// A time of 0 stands for the present.
inline std::int64_t or_now_s(std::int64_t at_unix_s) {
  return at_unix_s != 0 ? at_unix_s : unix_now<std::chrono::seconds>();
}

struct Store::Impl {
  std::filesystem::path path;
  bool writable = false;
  int schema_version = 0;  // of the file as it was opened; the latest when it is writable
  bool is_bundle = false;  // when it was opened
  std::unique_ptr<sqlite::Connection> connection;
  std::optional<sqlite::Statement>
      insert_outcome;  // kept prepared: it runs once per candidate; goes before the connection
  std::vector<RowFault> faults;
  std::set<std::pair<std::string, std::int64_t>> faulty_rows;

  // Error usage when the file was opened for reading.
  void require_writable() const {
    if (writable) return;
    throw Error(ErrorKind::usage, path.string() + " was opened for reading only", "open it for writing");
  }
  void add_fault(const std::string& table, std::int64_t row, const std::string& what) {
    if (faulty_rows.emplace(table, row).second) faults.push_back({table, row, what});
  }
  // Runs `read`; false when the row, whose id is column 0, is unreadable.
  template <class Read>
  bool readable(const char* table, const sqlite::Cursor& row, Read read) {
    try {
      read();
      return true;
    } catch (const sqlite::Unreadable& fault) {
      add_fault(table, row.id(), fault.detail());
      return false;
    }
  }
};

}  // namespace warptune::db
