// Contestants timed side by side: interleaved, shuffled rounds. Knows samples only. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace warptune::tuner {

// One block of a contestant: time per call in ns, > 0.
using Block = std::function<double()>;

// `rounds` rounds; in each every contestant gives one block, in an order drawn anew. Result: per contestant
// its samples by round. `stop` (may be empty) is asked before every block: true gives the complete rounds so
// far. Errors: those of the blocks.
std::vector<std::vector<double>> contest(std::span<const Block> contestants, int rounds, std::uint64_t seed,
                                         const std::function<bool()>& stop = {});

// How many times as fast as `other` the contestant is: exp of the median over rounds of ln(other / own), so
// that what slowed a whole round cancels. Precondition: equal sizes, not empty.
double paired_speedup(std::span<const double> own_ns, std::span<const double> other_ns);

}  // namespace warptune::tuner
