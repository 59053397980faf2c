// Which configs are worth timing at problems near the one that was tuned. Thread-safe, but for the store.
#pragma once

#include <string>
#include <vector>

#include <warptune/db/store.hpp>
#include <warptune/spec/instance.hpp>
#include <warptune/tuner/outcome.hpp>

namespace warptune::tuner {

// Each once: the winners (the widest alignment first), the default, the three fastest others of `candidates`, the two fastest others
// that may run at all `neighbours`, and winners that `store` (may be null) holds for other dims of the same key, two at most, where
// `candidates` has them. Only those that were verified at ragged dims.
std::vector<spec::Config> configs_for_neighbours(const spec::Instance& tuned,
                                                 const std::vector<spec::Instance>& neighbours,
                                                 const std::string& policy,
                                                 const std::vector<db::WinnerRecord>& winners,
                                                 const std::vector<Outcome>& candidates,
                                                 const db::Store* store);

// For a config that may not run `there`: those that differ from it in one tunable, may, and are not `known`; the first four, in the
// order of the tunables and of their values.
std::vector<spec::Config> stand_ins(const spec::Instance& there, const spec::Config& config,
                                    const std::vector<spec::Config>& known);

}  // namespace warptune::tuner
