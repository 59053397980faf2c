// What a card's memory gives to plain kernels, and what that means for one that reads and writes. Pure values.
#pragma once

namespace warptune::tuner {

// In bytes per second, far beyond the L2 cache. A copy counts what it reads and what it writes.
struct Ceilings {
  double read = 0, write = 0, copy = 0;
};

// The rate that a kernel could reach of whose bytes this share, 0 to 1, is written: time per byte is taken to be linear in the
// share between the three that were measured (0, 1/2 and 1). Precondition: the ceilings are positive.
inline double limit_bytes_per_s(const Ceilings& ceilings, double written_share) {
  const double from = written_share < 0.5 ? 1 / ceilings.read : 1 / ceilings.copy;
  const double to = written_share < 0.5 ? 1 / ceilings.copy : 1 / ceilings.write;
  const double along = written_share < 0.5 ? 2 * written_share : 2 * written_share - 1;
  return 1 / (from + along * (to - from));
}

}  // namespace warptune::tuner
