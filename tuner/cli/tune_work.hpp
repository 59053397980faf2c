// Problems through the tuning loop: one after another on one device, or spread over several.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/tune.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/device_choice.hpp"

namespace warptune::tuner {

struct TuneTask {
  spec::TemplatePtr spec;
  spec::Problem problem;
  std::optional<db::DeviceKey> device;  // where it was asked for; nothing: anywhere
};

struct TuneWork {
  const Context& context;
  std::vector<TuneTask> tasks;  // in this order
  TuneOptions options;
  bool save = true;
  bool skip_tuned = false;  // leave out what has a measured winner that may run
};

struct TuneReport {
  std::int64_t without_winner = 0;                       // although it was not interrupted
  std::int64_t already_tuned = 0, of_other_devices = 0;  // left out
  bool interrupted = false;                              // a problem was not finished, or not begun
};

// Called once per device, each from a thread of its own where there are several.
using OpenSource = std::function<std::unique_ptr<EvaluatorSource>(const DeviceChoice&)>;

// Each problem goes to the next device that is free. All devices must be of one model; others than the first one's are an
// error, or left out with a line on standard error where `all_needed` is false. Errors: the first that a device or the store had; what was stored before stays.
TuneReport tune_problems(const TuneWork& work, const std::vector<DeviceChoice>& devices,
                         const OpenSource& open, bool all_needed);

}  // namespace warptune::tuner
