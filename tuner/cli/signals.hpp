// Ctrl-C and SIGTERM: the first one asks the loop to stop, the second one ends the process at once.
#pragma once

#include <atomic>

namespace warptune::tuner {

// Installs the handlers for as long as it lives; one at a time in a process.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  const std::atomic<bool>* stop() const;
  // 130 or 143 after a signal, else 0.
  int exit_code() const;
};

}  // namespace warptune::tuner
