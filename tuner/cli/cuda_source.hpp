// Evaluators and calibration on a GPU of this machine, for the commands. One thread at a time.
#pragma once

#include <memory>

#include <warptune/db/records.hpp>

#include "tuner/cli/device_choice.hpp"

namespace warptune::tuner {

// Errors: no_device, cuda.
std::unique_ptr<EvaluatorSource> open_cuda_source(int ordinal, const EvaluatorSettings& settings);

// Measures the device's ceilings and timer. Errors: no_device, cuda.
db::Calibration calibrate(int ordinal);

}  // namespace warptune::tuner
