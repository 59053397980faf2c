#include "tuner/cli/signals.hpp"

#include <unistd.h>
#include <csignal>

namespace warptune::tuner {
namespace {

// Handlers reach no object: what they touch is static, and lock-free.
std::atomic<bool> stop_requested{false};
std::atomic<int> received_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int signal) {
  if (stop_requested.exchange(true)) _exit(128 + signal);
  received_signal = signal;
}

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptScope::InterruptScope() {
  stop_requested = false;
  received_signal = 0;
  install(on_signal);
}

InterruptScope::~InterruptScope() { install(SIG_DFL); }

const std::atomic<bool>* InterruptScope::stop() const { return &stop_requested; }

int InterruptScope::exit_code() const {
  const int signal = received_signal;
  return signal == 0 ? 0 : 128 + signal;
}

}  // namespace warptune::tuner
