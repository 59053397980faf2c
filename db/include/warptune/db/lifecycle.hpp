// Whole runs, and what happens to files over their life: merging and removing. Plain values; see store.hpp for
// the calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>

namespace warptune::db {

// A run with all that hangs on it.
struct StoredRun {
  std::int64_t id = 0;  // in its file
  ProblemKey problem;
  RunInfo info;                              // `uid` is set
  std::optional<std::int64_t> ended_unix_s;  // nothing: it was killed, or goes on
  RunEnd end;                                // of a run that ended
  std::vector<OutcomeRecord> outcomes;       // in the order in which they were tried
  std::vector<WinnerRecord> winners;         // by alignment class
  std::vector<NeighbourTime> neighbours;     // in the order of adding

  // Whether it ended or not.
  bool is_marked(const std::string& name) const {
    return info.marks.contains(name) || end.clocks.contains(name);
  }
};

enum class RunParts {
  head,  // without outcomes, neighbours and template parts: cheap
  all,
};

// What became of a run that was offered to a file.
enum class Added {
  added,
  completed,  // it was there, but cut short or bare: the rest was added
  known,      // it was there
};

// Two files disagree about the winner of a problem and alignment class.
struct MergeConflict {
  ProblemKey problem;
  int alignment_bytes = 1;
  NamedValues kept, passed_over;
  bool kept_other = false;  // the winner from the file that was merged in is the one that counts now
  std::string because;      // "certified", "complete", "newer", ...
};

struct MergeReport {
  std::int64_t runs_added = 0, runs_completed = 0, runs_known = 0;
  std::int64_t runs_replayed = 0;  // passed over: what they hold is in the recording that they replayed
  std::int64_t outcomes_added = 0;
  std::int64_t reference_times_added = 0, calibrations_added = 0;
  std::vector<MergeConflict> conflicts;

  void count(Added added) {
    ++(added == Added::added ? runs_added : added == Added::completed ? runs_completed : runs_known);
  }
};

struct RemoveReport {
  std::int64_t runs = 0, outcomes = 0, winners = 0;
  std::int64_t problems = 0, devices = 0;  // that nothing hangs on any more
};

// What a file holds, without reading it all.
struct Contents {
  std::int64_t bytes = 0;  // of the file and its side files
  std::int64_t devices = 0, problems = 0, runs = 0, outcomes = 0, winners = 0;
  std::optional<std::int64_t> oldest_unix_s, newest_unix_s;  // starts of runs
};

}  // namespace warptune::db
