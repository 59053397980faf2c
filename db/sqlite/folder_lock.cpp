#include "db/sqlite/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace warptune::db::sqlite {

FolderLock::FolderLock(const std::filesystem::path& file, LockKind kind)
    : descriptor_(::open(folder_of(resolve(file)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) return;
  while (::flock(descriptor_, kind == LockKind::shared ? LOCK_SH : LOCK_EX) != 0 && errno == EINTR) {
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::filesystem::path resolve(const std::filesystem::path& file) {
  std::error_code code;
  std::filesystem::path target = std::filesystem::canonical(file, code);
  return code ? file : target;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace warptune::db::sqlite
