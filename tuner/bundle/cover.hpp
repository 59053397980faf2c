// Which few configs serve all tuned problems nearly as well as each one's own winner: a smallest set cover. Pure function,
// thread-safe.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace warptune::tuner {

inline constexpr double unknown_loss = std::numeric_limits<double>::infinity();

struct Cover {
  std::vector<std::size_t> members;  // configs, ascending
  std::vector<std::optional<std::size_t>>
      serving;            // per target: the member with the smallest loss; nothing: none is within
                          // the bound, whatever is chosen
  double worst_loss = 0;  // over the targets that are served
  bool smallest = true;   // no smaller set does; false: not settled within the effort allowed
};

// `loss[config][target]`: time / the winner's time - 1, at least 0; unknown_loss where it was not measured or cannot run. All
// rows have one length. A set covers a target when one of its members has a loss of at most `bound` there. Among the smallest
// sets that cover every target that any config covers, one with the smallest worst loss. Exact by branch and bound up to a
// number of steps that does for dozens of problems; beyond that greedy (H_n-approximate; Chvatal, Math. Oper. Res. 4, 1979).
Cover find_cover(const std::vector<std::vector<double>>& loss, double bound);

}  // namespace warptune::tuner
