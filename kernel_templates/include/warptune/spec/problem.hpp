// What the caller fixes (problem) and what the device offers (traits). Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::spec {

// Weaknesses the caller accepts. A tunable value of a class that is not allowed is neither tuned nor
// dispatched.
struct Numerics {
  bool approx = false;
  bool nondeterministic = false;

  // "exact", "approx", "nondeterministic" or "approx+nondeterministic": part of every key.
  std::string key() const;
  // Error bad_input on any other word.
  static Numerics parse(std::string_view key);
  bool covers(const Numerics& needed) const {
    return (approx || !needed.approx) && (nondeterministic || !needed.nondeterministic);
  }
  Numerics operator|(const Numerics& other) const {
    return {approx || other.approx, nondeterministic || other.nondeterministic};
  }
  friend bool operator==(const Numerics&, const Numerics&) = default;
};

struct Problem {
  std::map<std::string, std::string, std::less<>> types;       // type parameter -> CUDA type name
  std::map<std::string, std::int64_t, std::less<>> dims;       // in elements
  std::map<std::string, std::string, std::less<>> attributes;  // unstated ones hold "any"
  Numerics allowed;

  // "T=f16 n=16777216", attributes other than "any" and a numerics class other than exact appended.
  std::string text() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

// Limits of a device that expressions may name as device.NAME, plus its identity.
struct DeviceTraits {
  std::string model;           // normalised, e.g. "NVIDIA H200"
  int compute_capability = 0;  // 10 * major + minor
  int sm_count = 0;            // usable by this context
  int warp_size = 32;
  int max_threads_per_block = 1024;
  int max_threads_per_sm = 2048;
  int max_blocks_per_sm = 32;
  int registers_per_sm = 65536;
  std::int64_t max_shared_bytes = 49152;  // per block, opt-in
  std::int64_t shared_bytes_per_sm = 0;
  std::int64_t reserved_shared_bytes = 0;  // per block, taken by the driver
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t max_grid_x = 2147483647, max_grid_y = 65535, max_grid_z = 65535;

  // Value of device.NAME (the member names above, plus memory_gib); nothing for an unknown name.
  std::optional<std::int64_t> limit(std::string_view name) const;
};

// Every NAME that DeviceTraits::limit knows, in the order of the members.
const std::vector<std::string>& device_limit_names();

// What is known of a compiled kernel before any launch: kernel.NAME in expressions.
struct KernelTraits {
  int registers = 0;
  int local_bytes = 0;          // per thread: spills and local arrays
  int static_shared_bytes = 0;  // per block
  int max_threads_per_block = 1024;
};

}  // namespace warptune::spec
