// Which constraint keeps how many configs out. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <warptune/spec/instance.hpp>

namespace warptune::tuner {

struct ExclusionCount {
  std::string constraint;  // the expression, a numerics class, or a device limit
  std::string why;
  std::int64_t configs = 0;
};

// Over all combinations of tunable values, most first. A config that several exclude counts for the first of
// them. Nothing where the combinations are more than 2^20: walking them would take longer than a person
// waits.
std::optional<std::vector<ExclusionCount>> count_exclusions(const spec::Instance& instance);

// "1728 by `MULTIPLY == 'f32'` (why); ...", at most three; empty where they are not counted.
std::string exclusions_text(const spec::Instance& instance);

}  // namespace warptune::tuner
