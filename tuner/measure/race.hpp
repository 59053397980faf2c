// The deciding race: interleaved, shuffled rounds, paired by round, with a sequential test corrected for all pairs and looks.
// Knows samples only, nothing of devices. One thread at a time per call; no shared state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tuner/measure/statistics.hpp"

namespace warptune::tuner {

// One block of a candidate: time per call in ns, > 0.
using Sampler = std::function<double(std::size_t candidate)>;
// Whether `a` is to be picked before `b` when both are equally fast: a strict weak ordering.
using Preference = std::function<bool(std::size_t a, std::size_t b)>;

struct RaceOptions {
  double alpha = 0.05;              // chance, over the whole race, that any statement is false
  double margin = 0.01;             // certified: within this share of every rival
  double drop_floor = 0.005;        // nothing is dropped for a mean difference below this
  int early_rounds = 3;             // after these, only those near the best median go on, in log time: within
  double early_noise = 6;           // so many standard deviations of a block, as those rounds show it,
  double early_keep = 0.06;         // but no farther than this
  double early_keep_least = 0.015;  // and not closer than this
  std::vector<int> looks = {8, 12, 17, 24, 34, 48, 68, 96, 135, 189, 200};  // ascending round numbers
  std::uint64_t seed = 1;                                                   // of the shuffles
  // Blocks that each candidate can give; empty: as many as are asked for. A recording ends where the recorded race dropped the
  // candidate: before a look beyond its blocks it is dropped, and when the leader has none left the race ends uncertified.
  std::vector<int> available = {};
  std::function<bool()> stop;  // asked before every block; true: end at once, uncertified
  // Asked after every round: false throws the round away and runs it again, all of it, since dropping one candidate's block would
  // hide that this candidate disturbs. After so many repeats, rounds stand as they are, and nothing is certified.
  std::function<bool()> round_holds;
  int repeats_at_most = 20;
  double uneven_at_most =
      0.05;  // share of uneven blocks (see uneven_share) beyond which nothing is certified
};

struct RaceResult {
  std::size_t winner = 0;              // the preferred one of `tied` when certified, else the leader
  std::size_t leader = 0;              // smallest mean log time among the survivors
  std::vector<std::size_t> survivors;  // not dropped, ascending
  std::vector<std::size_t> tied;       // certified to be within `margin` of every survivor, ascending
  bool certified = false;              // `tied` is not empty
  Interval interval_ns;                // 95 %, median time of the winner
  int rounds = 0;                      // complete rounds that stand
  int repeated_rounds = 0;             // thrown away
  int disturbed_rounds = 0;            // of those that stand: did not hold
  double uneven_share = 0;
  std::vector<std::vector<double>> samples_ns;  // per candidate, of complete rounds, in time order
};

// Races candidates 0 .. count-1 and picks one. Where many configs are nearly as fast as the best, most of a race's time would go
// to those that a few quiet rounds have told apart already; so the early cut follows the noise: the standard deviation of what
// neither a candidate nor a round explains, pooled over all. With K candidates left after it and L looks, a pair's test level is
// q = alpha / (L K (K-1)); h(a,b) = t[1-q; r-1] sd(y_a - y_b) / sqrt(r), y = log time. Candidate c is dropped when
// mean(y_c - y_leader) - h > 0 and the mean exceeds drop_floor; it is certified when mean(y_c - y_l) + h <= ln(1 + margin)
// for every surviving l. Ends at the first look with a certified candidate, at the last look, or when `stop` says so.
// Errors: Error usage when count is 0; Error internal when a sample is not a positive number.
RaceResult race(std::size_t count, const Sampler& sample, const Preference& preferred,
                const RaceOptions& options = {});

// Share of the blocks that took over 10 % longer than their candidate usually does, by more than their round did: what happens
// when the card is shared. `samples_ns`: per candidate, by round; those that left earlier have fewer. Pure.
double uneven_share(const std::vector<std::vector<double>>& samples_ns);

// Two candidates, timed A B B A per repetition, which cancels linear drift.
struct PairResult {
  double ratio = 1;                // time of a over time of b, geometric mean
  Interval ratio_95;               // 95 % interval of it
  std::vector<double> a_ns, b_ns;  // in time order
};

// Precondition: repetitions >= 2. Error internal when a sample is not a positive number.
PairResult compare_pair(const std::function<double()>& sample_a, const std::function<double()>& sample_b,
                        int repetitions = 16);

}  // namespace warptune::tuner
