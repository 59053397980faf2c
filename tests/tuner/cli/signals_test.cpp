// The signal scope, each in a process of its own.
#include "tuner/cli/signals.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

namespace warptune::tuner {
namespace {

int exit_code_of(const std::function<int()>& body) {
  const int process = fork();
  if (process == 0) _exit(body());
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(InterruptScope, TheFirstSignalAsksToStop) {
  for (const auto& [signal, code] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    EXPECT_EQ(exit_code_of([signal = signal] {
                const InterruptScope scope;
                if (scope.stop()->load() || scope.exit_code() != 0) return 1;
                raise(signal);
                return scope.stop()->load() ? scope.exit_code() : 2;
              }),
              code);
  }
}

TEST(InterruptScope, TheSecondSignalEndsAtOnce) {
  EXPECT_EQ(exit_code_of([] {
              const InterruptScope scope;
              raise(SIGTERM);
              std::this_thread::sleep_for(std::chrono::milliseconds(400));
              raise(SIGINT);
              return 1;
            }),
            130);
}

// timeout(1) signals the process, and then the group that it is in.
TEST(InterruptScope, OneRequestThatArrivesTwiceIsOne) {
  EXPECT_EQ(exit_code_of([] {
              const InterruptScope scope;
              raise(SIGTERM);
              raise(SIGTERM);
              return scope.stop()->load() ? scope.exit_code() : 1;
            }),
            143);
}

TEST(InterruptScope, AfterItTheUsualHandlingIsBack) {
  EXPECT_EQ(exit_code_of([] {
              { const InterruptScope scope; }
              raise(SIGINT);
              return 1;
            }),
            130);
}

}  // namespace
}  // namespace warptune::tuner
