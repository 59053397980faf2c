// Times at neighbouring problems, read from the database when a launch first needs those of a kernel: most applications never do,
// and there can be many times more of them than of winners. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <warptune/db/store.hpp>

namespace warptune::runtime {

class NearbyTimes {
 public:
  using Open = std::function<db::Store()>;
  using Warn = std::function<void(const std::string&)>;

  // Those of the runs that `store` has now. `open` opens the same file again. What keeps it from being read goes to `warn`, and
  // counts as no times.
  NearbyTimes(const db::Store& store, db::DeviceKey device, Open open, Warn warn);

  std::vector<db::NeighbourTime> of_run(const std::string& kernel, std::int64_t run);

 private:
  db::NeighbourTable read(const std::string& kernel) const;

  const db::DeviceKey device_;
  const Open open_;
  const Warn warn_;
  const std::optional<db::RunMark> newest_;
  std::mutex mutex_;
  std::map<std::string, db::NeighbourTable> of_kernel_;
};

}  // namespace warptune::runtime
