// The kit of planted candidates, and what each must become.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/outcome.hpp>

namespace warptune::test {

struct PlantedKind {
  std::string_view name;
  tuner::OutcomeStatus status;
  std::string_view reason;  // part of it
  bool needs_gpu = true;    // to be found out
};

using tuner::OutcomeStatus;
inline constexpr std::array<PlantedKind, 22> planted_kinds = {{
    {"right", OutcomeStatus::ok, ""},
    {"illegal_read", OutcomeStatus::crashed, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {"illegal_write", OutcomeStatus::crashed, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {"misaligned", OutcomeStatus::crashed, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {"endless", OutcomeStatus::timed_out, "verify takes more than"},
    {"asserts", OutcomeStatus::crashed, "CUDA_ERROR_ASSERT"},
    {"stack_overflow", OutcomeStatus::crashed, "CUDA_ERROR"},
    {"wrong_tail", OutcomeStatus::wrong_result, "instead of"},
    {"nothing", OutcomeStatus::wrong_result, "instead of"},
    {"half", OutcomeStatus::wrong_result, "instead of"},
    {"adds", OutcomeStatus::wrong_result, "instead of"},
    {"in_place", OutcomeStatus::wrong_result, "changes 'x', which must stay as it is"},
    {"past_end", OutcomeStatus::wrong_result, "writes past the end of 'y'"},
    {"nan", OutcomeStatus::wrong_result, "is NaN instead of"},
    {"race", OutcomeStatus::wrong_result, "instead of"},
    {"right_too", OutcomeStatus::ok, ""},
    {"huge_shared", OutcomeStatus::excluded, "the device allows", false},
    {"static_shared", OutcomeStatus::compile_error, "uses too much shared data", false},
    {"register_hog", OutcomeStatus::resource_limit, "registers", false},
    {"static_assert_fails", OutcomeStatus::compile_error,
     "planted_kit.cu(43): error: static assertion failed", false},
    {"bomb_time", OutcomeStatus::timed_out, "compiling takes more than", false},
    {"bomb_memory", OutcomeStatus::resource_limit, "more memory than a compile worker may use", false},
}};

spec::TemplatePtr planted_kit();

inline spec::Problem planted_kit_problem(std::int64_t n) {
  spec::Problem problem;
  problem.types = {{"T", "float"}};
  problem.dims = {{"n", n}};
  return problem;
}

inline spec::Config planted_kit_config(std::string_view kind) { return {{spec::Value::word(kind)}}; }

}  // namespace warptune::test
