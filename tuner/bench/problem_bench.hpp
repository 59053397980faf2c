// One problem's comparison: named variants, the tuned config, the default and libraries, in one run. One
// thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <warptune/tuner/device_evaluator.hpp>

#include "tuner/bench/library.hpp"

namespace warptune::tuner {

enum class Role { variant, standard, tuned, library };
const char* to_string(Role role) noexcept;

// What took part, or why it did not.
struct Standing {
  std::string name;
  Role role = Role::variant;
  std::optional<spec::Config> config;
  std::string call, version;                         // of a library
  std::optional<double> time_ns;                     // median over rounds; nothing: `why` says why not
  double interval_low_ns = 0, interval_high_ns = 0;  // 95 %, of the median
  std::int64_t samples = 0;                          // rounds
  std::map<std::string, double> speedup;             // over each library that took part
  std::string why;
};

struct OpenLibrary {
  std::string name, call;
  Library* library = nullptr;
};

struct BenchOptions {
  int rounds = 24;
  std::uint64_t seed = 1;
  std::function<bool()> stop;  // asked between blocks
};

// Verifies the configs, then times everything in interleaved rounds over the same operands. `tuned`: the
// config that the database holds for the problem. The evaluator's problem must allow whatever the variants
// need. Errors: those of the evaluator and of the libraries.
std::vector<Standing> bench_problem(DeviceEvaluator& evaluator, const std::optional<spec::Config>& tuned,
                                    const std::vector<OpenLibrary>& libraries, const BenchOptions& options);

}  // namespace warptune::tuner
