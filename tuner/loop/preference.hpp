// Which of two equally fast configs is picked. Pure functions, thread-safe.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include <warptune/spec/instance.hpp>
#include <warptune/tuner/outcome.hpp>

namespace warptune::tuner {

// Compared member by member, smaller first: what leaves more of the device to others, then what surprises
// least.
struct PreferenceKey {
  int local_bytes = 0;  // spills
  int registers = 0;
  int shared_bytes = 0;
  std::uint64_t threads = 0;       // per block, of the largest step
  std::int64_t default_steps = 0;  // steps in the ordered values of all tunables away from the default
  std::string text;                // makes the order total
  friend auto operator<=>(const PreferenceKey&, const PreferenceKey&) = default;
};

PreferenceKey preference_key(const spec::Instance& instance, const Outcome& outcome);

}  // namespace warptune::tuner
