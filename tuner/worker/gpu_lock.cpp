#include "tuner/worker/gpu_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <warptune/base/error.hpp>

namespace warptune::tuner {
namespace {

constexpr auto between_tries = std::chrono::milliseconds(250);

// Opened for reading, which is enough to lock it and lets every user do so. A file that is there is opened without O_CREAT:
// systems refuse that for files of others in a folder that all may write to.
int open_lock_file(const std::filesystem::path& path) {
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW;
  for (;;) {
    int file = ::open(path.c_str(), flags);
    if (file < 0 && errno == ENOENT) {
      file = ::open(path.c_str(), flags | O_CREAT | O_EXCL, 0644);
      if (file < 0 && errno == EEXIST) continue;
      if (file >= 0) ::fchmod(file, 0644);  // whatever the umask
    }
    if (file >= 0) return file;
    throw Error(ErrorKind::io, "cannot open the GPU's lock '" + path.string() + "': " + std::strerror(errno),
                "remove that file, or add --share", errno);
  }
}

}  // namespace

std::optional<GpuLock> GpuLock::try_acquire(const std::string& bus_id, const std::filesystem::path& folder) {
  // The same name for every user and whatever TMPDIR says; the name holds no more than where the GPU sits.
  const std::filesystem::path where = folder.empty() ? "/tmp" : folder;
  GpuLock lock(open_lock_file(where / ("warptune-gpu-" + bus_id + ".lock")));
  while (::flock(lock.file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) return std::nullopt;
    throw Error(ErrorKind::io, std::string("the GPU's lock cannot be taken: ") + std::strerror(errno),
                "add --share", errno);
  }
  return lock;
}

std::optional<GpuLock> GpuLock::wait(const std::string& bus_id, const std::function<bool()>& give_up,
                                     const std::filesystem::path& folder) {
  for (;;) {
    if (auto lock = try_acquire(bus_id, folder)) return lock;
    if (give_up && give_up()) return std::nullopt;
    std::this_thread::sleep_for(between_tries);
  }
}

GpuLock::~GpuLock() {
  if (file_ >= 0) ::close(file_);
}

GpuLock::GpuLock(GpuLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

GpuLock& GpuLock::operator=(GpuLock&& other) noexcept {
  GpuLock taken(std::move(other));
  std::swap(file_, taken.file_);
  return *this;
}

}  // namespace warptune::tuner
