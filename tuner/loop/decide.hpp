// From screened candidates to winners: one race per alignment class, and the default last. One thread at a
// time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>
#include <warptune/tuner/evaluator.hpp>

namespace warptune::tuner {

struct DecideOptions {
  std::uint64_t seed = 1;
  std::function<bool()> stop;             // true: end at once; no winner is decided
  std::function<void()> block_done;       // after each timed block
  std::size_t raced_at_most = 128;        // candidates in the race of the widest alignment class
  std::size_t raced_at_most_narrow = 32;  // and in those of the narrower ones
};

struct Decision {
  std::vector<db::WinnerRecord> winners;  // one per alignment class that has a candidate, ascending
  std::vector<Outcome> raced;             // outcomes of the race, their new blocks appended
  std::int64_t raced_widest = 0;          // candidates in the race of the widest class
  std::map<std::string, double> clocks;   // what was seen of the card: db/SCHEMA.md, `clocks`
  bool stopped = false;
};

// Leaves the winner as it is, but vouches for nothing.
void withdraw_certificate(db::WinnerRecord& winner);

// `candidates`: outcomes that are ok, each config once. The default, where it is among them, takes part in
// every comparison: a winner that is not faster than it in a direct, alternating comparison gives way to it
// (one that tied with it in the race only where the default is faster with 95 % confidence).
// A class whose best config is the wider class's winner gets the same record. `complete` of the records is
// left false.
Decision decide(Evaluator& evaluator, const std::vector<Outcome>& candidates, const DecideOptions& options);

}  // namespace warptune::tuner
