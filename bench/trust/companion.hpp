// Processes of this program that disturb a measurement until they are killed.
#pragma once

#include <sys/types.h>

#include <string>

namespace warptune::trust {

class Companion {
 public:
  // Starts `trust_bench companion DOES`. Error std::runtime_error when it does not run.
  explicit Companion(std::string does);
  ~Companion();
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  // Error std::runtime_error when it has ended.
  void require_running() const;

 private:
  pid_t pid_ = 0;
};

// What such a process does: "compute", on the card without rest, or "compile", without a card. 2: it knows no
// such word.
int keep_company(const std::string& does);

}  // namespace warptune::trust
