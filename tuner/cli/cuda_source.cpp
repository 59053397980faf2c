#include "tuner/cli/cuda_source.hpp"

#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/device.hpp>
#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/runtime/sensors.hpp>
#include <warptune/tuner/device_evaluator.hpp>

#include "tuner/cli/winner_table.hpp"
#include "tuner/measure/handles.hpp"

namespace warptune::tuner {
namespace {

std::shared_ptr<runtime::KernelBuilder> make_builder(bool disk_cache) {
  runtime::BuilderOptions options;
  if (disk_cache) options.cache_folder = runtime::default_cache_folder();
  return std::make_shared<runtime::KernelBuilder>(runtime::open_nvrtc(), std::move(options));
}

// One device, one builder and one measurement of the ceilings for all problems of a run.
class OneGpu final : public CudaSource {
 public:
  OneGpu(int ordinal, const EvaluatorSettings& settings)
      : device_(runtime::open_cuda_device(ordinal)),
        stream_(*device_),
        builder_(make_builder(settings.disk_cache)) {
    options_.policy = settings.policy;
    options_.seed = settings.seed;
    options_.stream = stream_.get();
    options_.sensors = runtime::open_sensors(device_->info());
  }

  std::unique_ptr<Evaluator> open(const spec::TemplatePtr& spec, const spec::Problem& problem) override {
    return open_on_device(spec, problem);
  }

  const spec::DeviceTraits& traits() const override { return device_->info().traits; }

  std::unique_ptr<DeviceEvaluator> open_on_device(const spec::TemplatePtr& spec,
                                                  const spec::Problem& problem) override {
    const spec::Instance instance(spec, problem, device_->info().traits);
    std::unique_ptr<DeviceEvaluator> evaluator = make_device_evaluator(device_, builder_, instance, options_);
    options_.ceilings = evaluator->ceilings();
    return evaluator;
  }

 private:
  std::shared_ptr<runtime::Device> device_;
  OwnedStream stream_;  // of all evaluators
  std::shared_ptr<runtime::KernelBuilder> builder_;
  DeviceEvaluatorOptions options_;
};

}  // namespace

std::unique_ptr<CudaSource> open_cuda_source(int ordinal, const EvaluatorSettings& settings) {
  return std::make_unique<OneGpu>(ordinal, settings);
}

db::Calibration calibrate(int ordinal) {
  const std::unique_ptr<runtime::Device> device = runtime::open_cuda_device(ordinal);
  const std::shared_ptr<runtime::KernelBuilder> builder = make_builder(true);
  return {runtime::device_key(device->info().traits), calibrate_device(*device, *builder), unix_now_s()};
}

}  // namespace warptune::tuner
