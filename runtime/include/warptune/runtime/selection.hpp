// Which config serves a problem, and why: pure functions over records, used by the runtime and by `warptune
// explain`. No device is needed. Selector is immutable: any number of threads may ask it at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>
#include <warptune/spec/instance.hpp>

namespace warptune::runtime {

enum class Match { tuned, nearest, default_config };
const char* to_string(Match match) noexcept;  // "tuned", "nearest", "default"

// What a launch with certain dims and alignment would run, and why.
struct Selection {
  Match match = Match::default_config;
  std::string config;                              // "NUM_THREADS=256 PACK=8 ..."
  std::map<std::string, std::int64_t> tuned_dims;  // of the record used; empty for default
  double log2_distance = 0;                        // to tuned_dims over the free dims, Euclidean; 0 for tuned
  int alignment_bytes = 1;                         // pointer alignment the config needs
  std::optional<double> expected_ns;               // time in the record; for exact dims only
  // How much longer than the fastest config timed near these dims it is expected to take, as a share: 0.02 for 2 %. 0 for
  // tuned; nothing: not known.
  std::optional<double> expected_loss;
  bool other_toolchain = false;  // driver, NVRTC or headers differ from the record's
  std::string staleness;         // in which of them: "driver 12.8 then, 13.0 now; ..."; empty: in none
  std::string reason;            // one sentence
};

struct SelectionRules {
  std::vector<std::string> policies{"cold", "hot"};  // which measurements decide, first first
  double nearest_bound_log2 = 2.0;                   // farthest tuned value that may serve, per free dim
  bool nearest = true;                               // false: records serve their own dims only
};

// Times at neighbouring problems by a record's run: Store::neighbour_times(), or a NeighbourTable. Called from any thread.
using NeighboursOf = std::function<std::vector<db::NeighbourTime>(std::int64_t run)>;

// A config that may run, in order of preference.
struct Candidate {
  spec::Config config;
  Selection selection;
};

// A record that was looked at and not used.
struct PassedOver {
  std::string record;  // "n=65536 align 16: NUM_THREADS=256 ..."
  std::string reason;
};

struct Ranking {
  std::vector<Candidate> candidates;  // best first; never empty, the last is the default
  // Records that serve other problems, are stale, or whose config is not valid here or gave way to the default; what their runs timed
  // nearby may have told what serves.
  std::vector<PassedOver> passed_over;
};

// Rules, in this order:
// 1. Never used: replayed records; another device, kernel, template hash, types, attributes, numerics class
// or policy; a config
//    that cannot be read or that its own problem excludes (those are faults()).
// 2. All dims equal: `tuned`. Else key dims equal, and every free dim within the bound in |log2(asked /
// tuned)| (0 counts as
//    1), and the config verified at ragged dims: `nearest`. Else not used.
// 3. The record's alignment class and the config's own requirement must not exceed the pointers' alignment,
// and the config must
//    be valid for these dims.
// 4. Order: tuned first; then smaller distance; then earlier policy; then larger alignment class. The default
// comes last.
// 5. What was timed near the dims asked for overrules that. Of the neighbours that the record's run timed within an octave in each free
//    dim, the one that is least unlike these dims is looked at (dims below those asked for count four times as far). If another
//    config is over 1 % faster there, it comes before the record's, unless the record's own dims are less unlike; where the record's
//    config is not valid here, the fastest there that is comes in its place. Where that is the default, only records that know
//    something less unlike come before it.
class Selector {
 public:
  // `instance`: kernel, types, attributes, numerics and device; its dims do not matter. `rows`: winners of
  // any kernel. `neighbours` may be empty: then nothing is expected of configs at other dims.
  Selector(spec::Instance instance, SelectionRules rules, const std::vector<db::StoredWinner>& rows,
           NeighboursOf neighbours = {});

  // `dims`: all dims of the template by name. `alignment_bytes`: a power of two that divides all pointers
  // which configs restrict (see Instance::alignment_class). `present`: this machine's toolchain; parts that
  // are empty or 0 are not compared. Error bad_input: dims negative, missing or unknown.
  Ranking rank(const std::map<std::string, std::int64_t, std::less<>>& dims, std::int64_t alignment_bytes,
               const db::Toolchain& present) const;

  // Rows that are wrong rather than foreign or stale: one line each, for one warning.
  const std::vector<std::string>& faults() const { return faults_; }
  // Largest alignment that any usable record asks of the pointers; more makes no difference.
  std::int64_t largest_alignment_bytes() const { return largest_alignment_bytes_; }
  const spec::Instance& instance() const { return instance_; }
  // The same with more rows.
  Selector with(const std::vector<db::StoredWinner>& rows) const;

 private:
  struct Row {
    db::StoredWinner stored;
    spec::Config config;
    std::size_t policy = 0;  // position in rules
  };
  // What a row comes to at certain dims.
  struct Reach {
    bool exact = false;
    double distance = 0;    // in octaves, Euclidean over the free dims
    double unlikeness = 0;  // runtime/dispatch/log_distance.hpp
  };
  // A row that says something about certain dims and pointers: its own config may run, or its run timed others nearby.
  struct Related {
    const Row* row;
    Reach reach;
    bool may_run;
  };
  // `config`: the row's, or one that its run timed beside it.
  Selection selection_of(const spec::Instance& here, const Row& row, const spec::Config& config,
                         const Reach& reach, const db::Toolchain& present) const;
  // In the order of rule 4. Appends the others to `passed_over`, and those whose config may not run.
  std::vector<Related> related(const spec::Instance& here, std::int64_t alignment_bytes,
                               std::vector<PassedOver>& passed_over) const;
  void admit_all(const std::vector<db::StoredWinner>& rows);
  void admit(const db::StoredWinner& stored);

  spec::Instance instance_;
  SelectionRules rules_;
  NeighboursOf neighbours_;
  std::vector<Row> rows_;
  std::vector<PassedOver> refused_;  // for any dims
  std::vector<std::string> faults_;
  std::int64_t largest_alignment_bytes_ = 1;
};

}  // namespace warptune::runtime
