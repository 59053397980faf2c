// What ends a worker that its tuner has left.
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tuner/worker/host.hpp"

namespace warptune::tuner {
namespace {

constexpr auto grace = std::chrono::milliseconds(300);
constexpr int look_ms = 500;

// A death signal of the parent (PR_SET_PDEATHSIG) would not do: it comes when the thread that spawned the worker ends, and
// compile workers are spawned by threads of a pool.
void watch(int socket, pid_t tuner) {
  for (;;) {
    pollfd hang_up{socket, POLLRDHUP, 0};
    const bool closed = ::poll(&hang_up, 1, look_ms) > 0 && hang_up.revents != 0;
    if (!closed && ::getppid() == tuner) continue;
    std::this_thread::sleep_for(grace);  // for an orderly end
    ::_exit(0);
  }
}

}  // namespace

void begin_worker(int socket) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::thread(watch, socket, ::getppid()).detach();
}

}  // namespace warptune::tuner
