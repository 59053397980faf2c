#include <warptune/db/neighbour_table.hpp>

#include <algorithm>

namespace warptune::db {

void NeighbourTable::add(std::int64_t run, const NeighbourTime& time) {
  rows_.push_back({run, time.samples, time.time_ns, &*dims_.insert(time.dims).first,
                   &*configs_.insert(time.config).first});
}

std::vector<NeighbourTime> NeighbourTable::of_run(std::int64_t run) const {
  std::vector<NeighbourTime> times;
  auto row = std::lower_bound(rows_.begin(), rows_.end(), run,
                              [](const Row& each, std::int64_t wanted) { return each.run < wanted; });
  for (; row != rows_.end() && row->run == run; ++row)
    times.push_back({*row->dims, *row->config, row->time_ns, row->samples});
  return times;
}

}  // namespace warptune::db
