// How files are opened: writing (WAL under retry, schema made once) and reading (no side files, no write
// permission needed).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "db/sqlite/connection.hpp"
#include "db/sqlite/folder_lock.hpp"

namespace warptune::db::sqlite {

// For writing; the schema is the latest afterwards. `create`: a missing or empty file becomes a new database.
// WAL with synchronous=NORMAL where the file system allows it, else a rollback journal with synchronous=FULL.
// `vfs` as for Connection. Errors: not_found, database, unsupported, out_of_memory. Never alters a file it
// cannot use.
std::unique_ptr<Connection> open_writable(const std::filesystem::path& file, bool create,
                                          const std::string& vfs = {});

// For reading. An empty file gives an empty database. Errors as above.
std::unique_ptr<Connection> open_readable(const std::filesystem::path& file);
// The same for a caller that holds the lock already.
std::unique_ptr<Connection> open_readable(const std::filesystem::path& file, const FolderLock& held);

// A connection to a copy of the file and what lies in its -wal or -journal. The copy has no name any more:
// nothing is left behind, even by a killed process. Errors: database, io (no temporary folder, no space).
std::unique_ptr<Connection> open_private_copy(const std::filesystem::path& file);

// The side file of that suffix ("-wal", "-shm", "-journal").
std::filesystem::path side_file(const std::filesystem::path& file, const char* suffix);

}  // namespace warptune::db::sqlite
