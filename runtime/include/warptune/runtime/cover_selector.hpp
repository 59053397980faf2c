// Which config of a bundle's cover serves dims that lie between tuned ones but too far from each. Immutable: any number of
// threads may ask it at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <warptune/db/bundle.hpp>
#include <warptune/runtime/selection.hpp>

namespace warptune::runtime {

// Rules, in this order:
// 1. Rows count that were made for the instance's template hash, types, attributes, numerics and device, under a policy asked
//    for, with equal key dims, for pointers aligned no better than these.
// 2. Every free dim must lie between the smallest and the largest one of those rows: beyond what was tuned nothing is known.
// 3. Each config stands as far as its nearest row, over the free dims in octaves; nearer comes first. It must be valid here.
class CoverSelector {
 public:
  CoverSelector() = default;  // serves nothing
  CoverSelector(const spec::Instance& instance, const std::vector<std::string>& policies,
                const std::vector<db::CoverRow>& rows);

  // Adds its configs to `ranking` before the default, those that are in it already left out. `here`: the instance at the dims
  // that are asked for.
  void add_to(Ranking& ranking, const spec::Instance& here, std::int64_t alignment_bytes) const;

 private:
  struct Row {
    db::CoverRow stored;
    spec::Config config;
    std::size_t policy = 0;  // position among those asked for
  };
  std::vector<Row> rows_;
};

}  // namespace warptune::runtime
