// What a Store holds. Included by store_read.cpp, store_write.cpp and maintenance.cpp only.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <warptune/db/store.hpp>

#include "db/sqlite/connection.hpp"

namespace warptune::db {

struct Store::Impl {
  std::filesystem::path path;
  bool writable = false;
  std::unique_ptr<sqlite::Connection> connection;
  std::optional<sqlite::Statement>
      insert_outcome;  // kept prepared: it runs once per candidate; goes before the connection
  std::vector<RowFault> faults;
  std::set<std::pair<std::string, std::int64_t>> faulty_rows;

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
