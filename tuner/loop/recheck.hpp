// Whether a stored winner still is one: it is verified and timed again beside its runners-up and the default. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>
#include <warptune/spec/instance.hpp>
#include <warptune/tuner/evaluator.hpp>

#include "tuner/measure/statistics.hpp"

namespace warptune::tuner {

struct RecheckOptions {
  std::size_t runners_up = 4;  // beside winner and default
  double margin = 0.01;        // slower than the best of them by more than this, surely: it no longer holds
  std::uint64_t seed = 1;
  std::function<bool()> stop;  // true: end at once
};

enum class Standing {
  holds,
  beaten,     // another one is faster, beyond the margin
  fails,      // it does not compile, verify or run any more
  stale,      // the template has changed, so that the runtime does not use it
  disturbed,  // something disturbed the measurement to the end
  stopped,
};
const char* to_string(Standing standing) noexcept;

struct Recheck {
  Standing standing = Standing::holds;
  std::string reason;               // one sentence; empty where it holds
  std::optional<double> winner_ns;  // now
  std::optional<double> best_ns;    // of the fastest of them, in the same rounds
  db::NamedValues best;
  double slower = 1;   // winner over best, geometric mean over paired blocks; 1: it is the best itself
  Interval slower_95;  // 95 % interval of it
  int raced = 0;
};

// The rivals of a winner among what was found at its problem: the fastest others that serve its alignment class, and the default.
// Pure.
std::vector<spec::Config> rivals_of(const spec::Instance& instance, const db::WinnerRecord& winner,
                                    const std::vector<db::StoredOutcome>& outcomes, std::size_t runners_up);

// A rival that fails is left out. Errors: bad_input where the winner's config is none of the template's; those of the evaluator.
Recheck recheck(Evaluator& evaluator, const db::WinnerRecord& winner, const std::vector<spec::Config>& rivals,
                const RecheckOptions& options = {});

}  // namespace warptune::tuner
