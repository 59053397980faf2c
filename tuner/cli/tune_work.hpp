// Problems through the tuning loop: one after another on one device, or spread over several.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/tune.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/device_choice.hpp"

namespace warptune::tuner {

struct TuneWork {
  const Context& context;
  spec::TemplatePtr spec;
  std::vector<spec::Problem> problems;
  TuneOptions options;
  bool save = true;
};

// Called once per device, each from a thread of its own where there are several.
using OpenSource = std::function<std::unique_ptr<EvaluatorSource>(const DeviceChoice&)>;

// Each problem goes to the next device that is free. All devices must be of one model; others than the first one's are an
// error, or left out with a line on standard error where `all_needed` is false. Returns how many problems have no winner
// although they were not interrupted. Errors: the first that a device or the store had; what was stored before stays.
std::int64_t tune_problems(const TuneWork& work, const std::vector<DeviceChoice>& devices,
                           const OpenSource& open, bool all_needed);

}  // namespace warptune::tuner
