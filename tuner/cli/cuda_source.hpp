// Evaluators and calibration on a GPU of this machine, for the commands. One thread at a time.
#pragma once

#include <memory>

#include <warptune/db/records.hpp>
#include <warptune/tuner/device_evaluator.hpp>

#include "tuner/cli/device_choice.hpp"

namespace warptune::tuner {

class CudaSource : public EvaluatorSource {
 public:
  virtual std::unique_ptr<DeviceEvaluator> open_on_device(const spec::TemplatePtr& spec,
                                                          const spec::Problem& problem) = 0;
  virtual const spec::DeviceTraits& traits() const = 0;
};

// Errors: no_device, cuda.
std::unique_ptr<CudaSource> open_cuda_source(int ordinal, const EvaluatorSettings& settings);

// Measures the device's ceilings and timer. Errors: no_device, cuda.
db::Calibration calibrate(int ordinal);

}  // namespace warptune::tuner
