// What became of a candidate. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <warptune/spec/problem.hpp>
#include <warptune/spec/template_spec.hpp>

namespace warptune::tuner {

enum class OutcomeStatus {
  ok,
  excluded,
  compile_error,
  resource_limit,
  launch_error,
  wrong_result,
  crashed,
  timed_out,
};

const char* to_string(OutcomeStatus status) noexcept;
// Error bad_input on an unknown word.
OutcomeStatus parse_outcome_status(const std::string& text);

struct Outcome {
  spec::Config config;
  OutcomeStatus status = OutcomeStatus::ok;
  std::string reason;             // empty for ok, else one line
  std::vector<double> blocks_ns;  // time per call of each timed block, in time order
  std::optional<double> max_error;
  bool verified_ragged = false;
  spec::KernelTraits traits;  // of the largest kernel step
  int alignment_bytes = 1;
  std::int64_t tried_unix_ms = 0;  // when it was first stored; 0: not yet

  // Median of blocks_ns; nothing without blocks.
  std::optional<double> time_ns() const;
};

}  // namespace warptune::tuner
