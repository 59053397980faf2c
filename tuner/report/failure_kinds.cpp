#include "tuner/report/failure_kinds.hpp"

#include <algorithm>

namespace warptune::tuner {
namespace {

// "element 3 is 1, not 2" and "element 7 is 0, not 2" are one kind.
std::string without_numbers(const std::string& reason) {
  std::string kind;
  bool in_number = false;
  for (const char c : reason) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !in_number) kind += '#';
    in_number = digit || (in_number && c == '.');
    if (!in_number) kind += c;
  }
  return kind;
}

}  // namespace

bool is_failure(const std::string& status) { return status != "ok" && status != "excluded"; }

std::vector<std::string> failure_statuses() {
  return {"any", "compile_error", "resource_limit", "launch_error", "wrong_result", "crashed", "timed_out"};
}

void FailureCounter::add(const db::ProblemKey& problem, const db::OutcomeRecord& outcome) {
  if (!is_failure(outcome.status)) return;
  if (problems_.empty() || problems_.back() != problem) problems_.push_back(problem);
  FailureKind& kind = kinds_[{problems_.size() - 1, outcome.status, without_numbers(outcome.reason)}];
  if (kind.count++ == 0) kind = {problem, outcome.status, outcome.reason, 1, outcome.config};
}

std::vector<FailureKind> FailureCounter::kinds() const {
  std::vector<std::pair<std::size_t, const FailureKind*>> ordered;
  for (const auto& [key, kind] : kinds_) ordered.emplace_back(std::get<0>(key), &kind);
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second->count > b.second->count;
  });
  std::vector<FailureKind> result;
  for (const auto& [problem, kind] : ordered) result.push_back(*kind);
  return result;
}

}  // namespace warptune::tuner
