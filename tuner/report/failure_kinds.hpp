// Failures counted by kind: same problem, status and reason, numbers in the reason aside. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <warptune/db/records.hpp>

namespace warptune::tuner {

// A status that is neither "ok" nor "excluded".
bool is_failure(const std::string& status);
// Those that a user may ask for, with "any".
std::vector<std::string> failure_statuses();

struct FailureKind {
  db::ProblemKey problem;
  std::string status;
  std::string reason;  // of the example
  std::int64_t count = 0;
  db::NamedValues example;
};

class FailureCounter {
 public:
  // Passes over what is no failure.
  void add(const db::ProblemKey& problem, const db::OutcomeRecord& outcome);
  // By problem in the order of adding, then the most frequent first.
  std::vector<FailureKind> kinds() const;

 private:
  std::vector<db::ProblemKey> problems_;
  std::map<std::tuple<std::size_t, std::string, std::string>, FailureKind> kinds_;
};

}  // namespace warptune::tuner
