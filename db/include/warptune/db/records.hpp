// What is stored: plain values, keyed by names, never by position or index. See db/SCHEMA.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warptune::db {

using NamedValue = std::variant<std::int64_t, std::string>;
using NamedValues = std::map<std::string, NamedValue>;  // a config: tunable -> integer or word

struct DeviceKey {
  std::string model;           // normalised
  int compute_capability = 0;  // 10 * major + minor
  int sm_count = 0;
  std::int64_t l2_bytes = 0;
  int memory_gib = 0;  // rounded
  friend auto operator<=>(const DeviceKey&, const DeviceKey&) = default;
};

struct ProblemKey {
  std::string kernel;
  std::string template_hash;
  std::map<std::string, std::string> types;  // CUDA type names
  std::map<std::string, std::int64_t> key_dims;
  std::map<std::string, std::int64_t> free_dims;
  std::map<std::string, std::string> attributes;
  std::string numerics;  // "exact", "approx", ...
  DeviceKey device;
  std::string policy;  // "cold" or "hot"
  friend auto operator<=>(const ProblemKey&, const ProblemKey&) = default;
};

// Key and free dims together.
inline std::map<std::string, std::int64_t> all_dims(const ProblemKey& problem) {
  std::map<std::string, std::int64_t> dims = problem.key_dims;
  dims.insert(problem.free_dims.begin(), problem.free_dims.end());
  return dims;
}

struct Toolchain {
  int driver_version = 0;     // as cuDriverGetVersion gives it, 13000 for 13.0
  std::string driver_name;    // "580.159.04" where known
  std::string nvrtc_version;  // "13.0"
  std::string headers_hash;   // of the toolkit headers used
  std::string warptune_version;
  friend auto operator<=>(const Toolchain&, const Toolchain&) = default;
};

enum class Origin {
  measured,  // on the device of the key
  replayed,  // from a recording
  imported,  // by another tuner; verified by nobody here
};

const char* to_text(Origin origin) noexcept;  // "measured", "replayed", "imported"

struct RunInfo {
  std::string uid;  // tells the run from all others, in any file; empty: a random one is made
  Toolchain toolchain;
  Origin origin = Origin::measured;
  std::string strategy;
  std::uint64_t seed = 0;
  std::string command;  // what was asked, for people
  std::int64_t started_unix_s = 0;
  // Files and manifest parts that the template hash was made of: name -> hash. Empty: not known.
  std::map<std::string, std::string> template_parts;
  // What is known of the measuring before it begins, such as callers_operands. RunEnd::clocks, which takes its place at the end,
  // has it again; empty where a run that ended is read.
  std::map<std::string, double> marks;
};

// How a run ended.
struct RunEnd {
  bool complete = false;        // the whole space, or the whole budget, was tried
  std::int64_t space_size = 0;  // valid configs
  double wall_s = 0;
  double gpu_s = 0;
  std::map<std::string, double> phase_s;  // compile, load, verify, measure, store
  std::map<std::string, double> clocks;   // what was seen while measuring, names with units: "sm_mhz_median"
};

struct OutcomeRecord {
  NamedValues config;
  std::string
      status;  // ok, excluded, compile_error, resource_limit, launch_error, wrong_result, crashed, timed_out
  std::string reason;               // empty for ok
  std::optional<double> time_ns;    // median per call
  std::vector<float> blocks_ns;     // per call, in time order
  std::optional<double> max_error;  // largest |out - reference| / scale seen, verification
  bool verified_ragged = false;     // also right at the dims of [[check.dims]]
  int registers = 0, local_bytes = 0, shared_bytes = 0;
  int alignment_bytes = 1;  // alignment class the config needs
  std::int64_t at_unix_ms = 0;
};

struct WinnerRecord {
  int alignment_bytes = 1;  // serves operands aligned at least so
  NamedValues config;
  double time_ns = 0;
  std::optional<double> default_time_ns;
  NamedValues default_config;
  bool certified = false;
  std::string certified_by;                                 // "race"; empty when it is not certified
  std::optional<double> interval_low_ns, interval_high_ns;  // 95 %
  std::int64_t samples = 0;
  std::int64_t tied = 0;  // configs that could not be told from the winner
  bool verified_ragged = false;
  bool complete = false;                    // the run behind it was complete
  std::optional<double> bytes, flops;       // cost of one call
  std::optional<double> limit_bytes_per_s;  // the card's measured read ceiling at tuning time
};

// How long a config takes at a problem near the one that its run tuned. Times of one run at equal dims were taken in the same
// rounds, and compare with each other only.
struct NeighbourTime {
  std::map<std::string, std::int64_t> dims;  // free dims; key dims are the tuned problem's
  NamedValues config;
  double time_ns = 0;
  std::int64_t samples = 0;
  friend bool operator==(const NeighbourTime&, const NeighbourTime&) = default;
};

// A winner as it is read back.
struct StoredWinner {
  ProblemKey problem;
  WinnerRecord winner;
  Toolchain toolchain;
  Origin origin = Origin::measured;
  std::int64_t run = 0;
  std::int64_t at_unix_s = 0;
  std::string strategy;
};

struct StoredOutcome {
  OutcomeRecord outcome;
  Toolchain toolchain;
  Origin origin = Origin::measured;
  std::int64_t run = 0;
};

// One warning per unreadable row; the row counts as absent.
struct RowFault {
  std::string table;
  std::int64_t row = 0;
  std::string what;
};

// What of ours was timed in the same rounds as a library: only that is comparable with the library's time, since clocks
// and temperature differ between runs.
struct Beside {
  NamedValues config;
  double time_ns = 0;  // median per call
  double speedup = 0;  // how many times as fast ours was: the median over the rounds of library / ours
};

// How long another library takes for a problem, timed under the same policy. It does not depend on templates.
struct ReferenceTime {
  std::string kernel;                        // whose problem it is
  std::map<std::string, std::string> types;  // CUDA type names
  std::map<std::string, std::int64_t> dims;  // key and free dims
  std::map<std::string, std::string> attributes;
  DeviceKey device;
  std::string policy;           // "cold" or "hot"
  std::string library;          // "cuBLAS"
  std::string call;             // "cublasDotEx"
  std::string library_version;  // "13.1.0"
  Toolchain toolchain;
  double time_ns = 0;                                       // median per call
  std::optional<double> interval_low_ns, interval_high_ns;  // 95 %
  std::int64_t samples = 0;
  std::int64_t at_unix_s = 0;
  std::optional<Beside> beside;  // nothing: ours took no part
};

// Figures measured once per device and toolchain (event tick, ceilings, ...): name with unit -> value.
struct Calibration {
  DeviceKey device;
  std::map<std::string, double> figures;
  std::int64_t at_unix_s = 0;
};

}  // namespace warptune::db
