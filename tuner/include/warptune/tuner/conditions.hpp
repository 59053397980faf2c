// What a card went through while candidates were timed. Plain values.
#pragma once

#include <cstdint>
#include <optional>

namespace warptune::tuner {

// Seen since somebody asked last. What a device cannot tell is left out.
struct Conditions {
  struct Clock {
    friend bool operator==(const Clock&, const Clock&) = default;
    double lowest_mhz = 0, median_mhz = 0, highest_mhz = 0;  // of the blocks; SM cycles over time
  };
  std::optional<Clock> clock;
  // Longest time for which work that was ready was kept from running, in ns: some microseconds where the card is ours alone; up to
  // a time slice, about 2 ms, where another process computes on it.
  std::optional<double> longest_stall_ns;
  std::uint64_t slowdown_reasons = 0;  // of the driver, as bits: see runtime::SensorReading
  std::optional<double> temperature_c;
  friend bool operator==(const Conditions&, const Conditions&) = default;
};

}  // namespace warptune::tuner
