// Many winners in little memory: what differs from row to row is kept as numbers, what recurs is kept once. Filled by
// one thread; afterwards any number of threads may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <warptune/db/records.hpp>

namespace warptune::db {

class WinnerTable {
 public:
  using Index = std::uint32_t;

  void add(const StoredWinner& winner);
  // The same with the configs that add_config() gave numbers; those of `winner` are not looked at.
  void add(const StoredWinner& winner, Index config, Index default_config);
  // A number for `config`, the same for equal ones.
  Index add_config(const NamedValues& config);
  // Gives back the memory that only adding needs. Call it once, after the last add().
  void finish();

  std::size_t size() const { return rows_.size(); }
  // In the order of adding; each winner is made for the call and equals what was added.
  void visit(const std::string& kernel, const std::function<void(const StoredWinner&)>& visit) const;

 private:
  struct ConfigHash {
    std::size_t operator()(const NamedValues& config) const noexcept;
  };
  // What winners of many problems share.
  struct Shared {
    ProblemKey problem;  // without the values of free dims
    Toolchain toolchain;
    Origin origin = Origin::measured;
    std::string strategy, certified_by;
    friend auto operator<=>(const Shared&, const Shared&) = default;
  };
  // Absent numbers are NaN.
  struct Row {
    double time_ns, default_time_ns, interval_low_ns, interval_high_ns, bytes, flops, limit_bytes_per_s;
    std::int64_t run, at_unix_s, samples, tied;
    Index shared, config, default_config, dims;  // dims: where the values of the free dims begin
    int alignment_bytes;
    bool certified, complete, verified_ragged;
  };

  static bool is_of(const StoredWinner& stored, const Shared& shared);
  Index shared_index(const StoredWinner& stored);

  std::vector<Row> rows_;
  std::vector<Shared> shared_;
  std::vector<NamedValues> configs_;
  std::vector<std::int64_t> dims_;
  // Where they are; while adding.
  std::map<Shared, Index> shared_index_;
  std::unordered_map<NamedValues, Index, ConfigHash> config_index_;
};

}  // namespace warptune::db
