// Times at neighbouring problems, of many runs, in little memory. Filled by one thread; afterwards any number of threads may
// read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>

namespace warptune::db {

// A run by its row and by what tells it from all others. While a file has it, no row up to it comes to stand for another run.
struct RunMark {
  std::int64_t id = 0;
  std::string uid;
};

class NeighbourTable {
 public:
  NeighbourTable() = default;
  NeighbourTable(NeighbourTable&&) = default;  // the elements of its sets move along
  NeighbourTable& operator=(NeighbourTable&&) = default;

  // Runs must come in ascending order.
  void add(std::int64_t run, const NeighbourTime& time);
  // Those of one run, in the order of adding.
  std::vector<NeighbourTime> of_run(std::int64_t run) const;
  std::size_t size() const { return rows_.size(); }

 private:
  using Dims = std::map<std::string, std::int64_t>;
  struct Row {
    std::int64_t run, samples;
    double time_ns;
    const Dims* dims;  // elements of sets stay where they are
    const NamedValues* config;
  };
  std::vector<Row> rows_;
  std::set<Dims> dims_;
  std::set<NamedValues> configs_;
};

}  // namespace warptune::db
