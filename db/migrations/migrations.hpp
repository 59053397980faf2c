// The numbered steps that make a file of the present schema out of an empty or an older one. See
// ../SCHEMA.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "db/sqlite/connection.hpp"

namespace warptune::db {

// Marks our files ("WPTN"), as `file` and other programs read it. Never changes.
inline constexpr std::int64_t application_id = 0x5750544E;

struct Migration {
  int version;  // of the schema after this step
  std::string_view sql;
};

// All steps in order; version i + 1 at index i. Never shortened, and released steps never change.
std::span<const Migration> migrations();
int latest_schema_version();

enum class FileKind {
  empty,    // nothing in it yet
  ours,     // `schema_version` is at most the latest
  foreign,  // another program's database
  newer,    // ours, of a later warptune
};

struct Identity {
  FileKind kind = FileKind::empty;
  int schema_version = 0;
  bool is_bundle = false;  // has the tables of bundle_schema.sql
};

// Reads the marks of a file. Errors: database (damaged, no database, locked).
Identity identify(sqlite::Connection& connection);

// Throws the Error that says why a foreign or newer file is not used; returns otherwise.
void require_usable(const Identity& identity, const std::filesystem::path& file);

// Runs the steps that are missing in one transaction; any number of processes may do so at once.
// Errors: database, unsupported (as require_usable).
void migrate(sqlite::Connection& connection);

}  // namespace warptune::db
