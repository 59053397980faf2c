// Ctrl-C and SIGTERM: the first one asks the loop to stop, the second one ends the process at once. A limit of time asks as well.
#pragma once

#include <atomic>
#include <thread>

namespace warptune::tuner {

// Installs the handlers for as long as it lives; one at a time in a process.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  const std::atomic<bool>* stop() const;
  // Asks to stop once so many seconds have passed; 0: never. Called once.
  void stop_after(double seconds);
  bool ran_out_of_time() const { return out_of_time_; }
  // 130 or 143 after a signal, else 0.
  int exit_code() const;

 private:
  std::atomic<bool> out_of_time_ = false;
  std::jthread timer_;
};

}  // namespace warptune::tuner
