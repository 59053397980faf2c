#include <warptune/tuner/outcome.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>

#include "tuner/measure/statistics.hpp"

namespace warptune::tuner {
namespace {

// Stored words: never change one.
constexpr std::array<std::pair<OutcomeStatus, const char*>, 8> words = {{
    {OutcomeStatus::ok, "ok"},
    {OutcomeStatus::excluded, "excluded"},
    {OutcomeStatus::compile_error, "compile_error"},
    {OutcomeStatus::resource_limit, "resource_limit"},
    {OutcomeStatus::launch_error, "launch_error"},
    {OutcomeStatus::wrong_result, "wrong_result"},
    {OutcomeStatus::crashed, "crashed"},
    {OutcomeStatus::timed_out, "timed_out"},
}};

}  // namespace

const char* to_string(OutcomeStatus status) noexcept {
  for (const auto& [known, word] : words)
    if (known == status) return word;
  return "unknown";
}

OutcomeStatus parse_outcome_status(const std::string& text) {
  std::vector<std::string> known;
  for (const auto& [status, word] : words) {
    if (text == word) return status;
    known.emplace_back(word);
  }
  throw Error(ErrorKind::bad_input, "unknown outcome '" + text + "'", name_hint(text, known));
}

std::optional<double> Outcome::time_ns() const {
  if (blocks_ns.empty()) return std::nullopt;
  return median(blocks_ns);
}

}  // namespace warptune::tuner
