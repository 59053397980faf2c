// How the finalists of a run do at problems near the tuned one: the source of what the runtime expects to lose where it has no
// record. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <warptune/db/store.hpp>
#include <warptune/tuner/evaluator.hpp>

namespace warptune::tuner {

using Dims = std::map<std::string, std::int64_t, std::less<>>;

// `tuned` with one free dim doubled, and with it halved, for each in the template's order, and then with one at 3/2 and at 3/4 of its
// value; dims that have their default values follow. Left out: what is no problem of the template, and what the default may not run at.
std::vector<spec::Instance> neighbours_of(const spec::Instance& tuned);

struct NeighbourOptions {
  double seconds =
      0;  // no neighbour is begun that would not end in this time if it takes as long as the one before
  std::uint64_t seed = 1;
  std::function<bool()> stop;  // asked between blocks; true: what is not whole is dropped
};

struct NeighbourTimes {
  std::vector<db::NeighbourTime> times;
  double gpu_s = 0;
  std::string failure;  // why it ended early; empty: it did not, or was stopped
};

// Times the configs at each neighbour in interleaved, shuffled rounds, by evaluators that `tuned` gives (none where it gives
// none). A config that may not run at a neighbour, or fails there, takes no part; where the first may not run, stand-ins for it are
// verified there and take part. Where fewer than two are left there is nothing to compare. Throws nothing that evaluators throw: the
// winners stand without it.
NeighbourTimes time_neighbours(Evaluator& tuned, const std::vector<spec::Instance>& neighbours,
                               const std::vector<spec::Config>& configs, const NeighbourOptions& options);

}  // namespace warptune::tuner
