#include "runtime/dispatch/nearby_times.hpp"

#include <utility>

#include <fmt/format.h>

#include <warptune/base/error.hpp>

#include "runtime/dispatch/messages.hpp"

namespace warptune::runtime {

NearbyTimes::NearbyTimes(const db::Store& store, db::DeviceKey device, Open open, Warn warn)
    : device_(std::move(device)),
      open_(std::move(open)),
      warn_(std::move(warn)),
      newest_(store.newest_with_neighbours()) {}

std::vector<db::NeighbourTime> NearbyTimes::of_run(const std::string& kernel, std::int64_t run) {
  if (!newest_ || run > newest_->id) return {};
  const std::scoped_lock lock(mutex_);
  auto found = of_kernel_.find(kernel);
  if (found == of_kernel_.end()) found = of_kernel_.emplace(kernel, read(kernel)).first;
  return found->second.of_run(run);
}

db::NeighbourTable NearbyTimes::read(const std::string& kernel) const {
  try {
    const db::Store store = open_();
    db::NeighbourTable table = store.load_neighbours(device_, kernel, *newest_);
    if (const std::string faults = faults_text(store); !faults.empty()) warn_(faults);
    return table;
  } catch (const Error& error) {
    warn_(error.full_text());  // it names the file
  } catch (const std::exception& error) {
    warn_(fmt::format("times at neighbouring problems cannot be read: {}", error.what()));
  }
  return {};
}

}  // namespace warptune::runtime
