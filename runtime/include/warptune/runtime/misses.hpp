// What becomes of a launch whose problem was not tuned: a miss. Plain values; docs/runtime.md has the rules.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>
#include <warptune/runtime/device.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/spec/problem.hpp>

namespace warptune::runtime {

enum class OnMiss {
  default_config,  // the default config runs
  nearest,         // the nearest tuned config within the bound, else the default
  record,          // as nearest, and the problem is written down for `warptune tune --misses FILE`
  tune,            // the problem is tuned before the launch; where that fails, and in a capture: as nearest
};

// A problem to be tuned.
struct Miss {
  spec::TemplatePtr spec;
  spec::Problem problem;  // with the dims of the launch
  std::string policy;     // the first that the kernel was asked for with
  DeviceInfo device;
  std::filesystem::path database;  // that the runtime was opened with
};

// Tunes a problem with operands of its own and gives its winners, as Store::winners() would. Called on the thread that
// launches, no lock of the kernel held, one call at a time per runtime. What it throws is one warning.
// warptune::tuner::miss_tuner() makes one.
using TuneMiss = std::function<std::vector<db::StoredWinner>(const Miss& miss)>;

}  // namespace warptune::runtime
