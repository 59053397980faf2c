// A recorded space made by a formula: what a search should find is known. Pure functions, thread-safe.
#pragma once

#include <cmath>
#include <string>

#include "tuner/replay/recorded_space.hpp"

namespace warptune::test {

// 8 x 6 x 5 x 2 x 2 combinations of which those with WARPS * TILE <= 256 exist, 760 configs; WARPS 32 with TILE 8
// fails. Time in ms: best at WARPS 8, TILE 4, UNROLL 4, CACHE 1, PAD 0, where it is 1.
inline tuner::RecordedSpace made_space(double std_share = 0) {
  tuner::RecordedTable table{{"WARPS", "TILE", "UNROLL", "CACHE", "PAD"}, {}};
  for (int warps = 1; warps <= 128; warps *= 2)
    for (int tile = 1; tile <= 32; tile *= 2)
      for (int unroll = 1; unroll <= 16; unroll *= 2)
        for (int cache = 0; cache < 2; ++cache)
          for (int pad = 0; pad < 2; ++pad) {
            if (warps * tile > 256) continue;
            const double time = 1 + 0.3 * std::abs(std::log2(warps / 8.0)) +
                                0.2 * std::abs(std::log2(static_cast<double>(tile * warps) / 32)) +
                                0.1 * std::abs(std::log2(unroll / 4.0)) + 0.5 * (1 - cache) + 0.05 * pad;
            tuner::RecordedRow row;
            for (const int value : {warps, tile, unroll, cache, pad})
              row.values.push_back(std::to_string(value));
            if (warps != 32 || tile != 8) row.time_ms = time;
            if (row.time_ms) row.std_ms = std_share * time;
            table.rows.push_back(std::move(row));
          }
  return {"made", table, {}};
}

}  // namespace warptune::test
