#include "tuner/cli/signals.hpp"

#include <time.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>

namespace warptune::tuner {
namespace {

// Handlers reach no object: what they touch is static, and lock-free.
std::atomic<bool> stop_requested{false};
std::atomic<int> received_signal{0};
std::atomic<long long> first_signal_ns{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<long long>::is_always_lock_free);

// timeout(1) sends its signal twice, to the process and to its group: that is no second request.
constexpr long long same_request_ns = 250'000'000;

long long monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

extern "C" void on_signal(int signal) {
  const long long now = monotonic_ns();
  long long first = 0;
  if (first_signal_ns.compare_exchange_strong(first, now)) {
    received_signal = signal;
    stop_requested = true;
  } else if (now - first > same_request_ns) {
    _exit(128 + signal);
  }
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
  first_signal_ns = 0;
  install(on_signal);
}

InterruptScope::~InterruptScope() { install(SIG_DFL); }

const std::atomic<bool>* InterruptScope::stop() const { return &stop_requested; }

void InterruptScope::stop_after(double seconds) {
  if (seconds <= 0) return;
  timer_ = std::jthread([this, seconds](const std::stop_token& done) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any ended;
    if (ended.wait_for(lock, done, std::chrono::duration<double>(seconds), [] { return false; }) ||
        done.stop_requested())
      return;
    out_of_time_ = true;
    stop_requested = true;
  });
}

int InterruptScope::exit_code() const {
  const int signal = received_signal;
  return signal == 0 ? 0 : 128 + signal;
}

}  // namespace warptune::tuner
