// Keeps set_aside() and the opening of files apart: SQLite breaks when a database is renamed between its
// opening and its first read, as the old file then meets the journal of the new one. Works across processes;
// one thread per lock.
#pragma once

#include <filesystem>

namespace warptune::db::sqlite {

enum class LockKind {
  shared,     // opening
  exclusive,  // renaming
};

// Held from construction to destruction. Where the file system knows no such locks it is without effect.
class FolderLock {
 public:
  // Locks the folder that `file` (links followed) lies in; waits for other holders.
  FolderLock(const std::filesystem::path& file, LockKind kind);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

// The file behind symbolic links, where its side files lie too; `file` itself when it does not exist.
std::filesystem::path resolve(const std::filesystem::path& file);
// The folder of a path; "." for a bare name.
std::filesystem::path folder_of(const std::filesystem::path& file);

}  // namespace warptune::db::sqlite
