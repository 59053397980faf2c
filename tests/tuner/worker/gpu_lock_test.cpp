// The lock of a GPU: one holder, given back however the holder ends.
#include "tuner/worker/gpu_lock.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/tuner/support/temporary_folder.hpp"

namespace warptune::tuner {
namespace {

TEST(GpuLock, HasOneHolderPerGpu) {
  const test::TemporaryFolder folder;
  auto lock = GpuLock::try_acquire("0000:1b:00", folder / "");
  ASSERT_TRUE(lock);
  EXPECT_FALSE(GpuLock::try_acquire("0000:1b:00", folder / ""));
  EXPECT_TRUE(GpuLock::try_acquire("0000:2c:00", folder / ""));
  lock.reset();
  EXPECT_TRUE(GpuLock::try_acquire("0000:1b:00", folder / ""));
}

TEST(GpuLock, GoesWithItsProcess) {
  const test::TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = GpuLock::try_acquire("gpu", folder / "");
    if (::write(ready[1], lock ? "y" : "n", 1) != 1) _exit(1);
    for (;;) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_FALSE(GpuLock::try_acquire("gpu", folder / ""));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(GpuLock::wait("gpu", {}, folder / ""));
}

TEST(GpuLock, WaitingCanBeGivenUp) {
  const test::TemporaryFolder folder;
  const auto lock = GpuLock::try_acquire("gpu", folder / "");
  int asked = 0;
  EXPECT_FALSE(GpuLock::wait(
      "gpu", [&] { return ++asked == 2; }, folder / ""));
  EXPECT_EQ(asked, 2);
}

// Another user's file can be locked; nobody needs to write it.
TEST(GpuLock, OtherUsersMayTakeIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  const test::TemporaryFolder folder;
  std::filesystem::permissions(folder / "", std::filesystem::perms::all | std::filesystem::perms::sticky_bit);
  ::umask(0077);
  EXPECT_TRUE(GpuLock::try_acquire("gpu", folder / ""));
  ::umask(0022);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) _exit(2);
    _exit(GpuLock::try_acquire("gpu", folder / "") ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace warptune::tuner
