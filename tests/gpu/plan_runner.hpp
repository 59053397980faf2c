// Compiles configs of a template and runs their launch plans on a real GPU, step by step. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <warptune/runtime/device.hpp>
#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/spec/instance.hpp>

namespace warptune::test {

class PlanRunner {
 public:
  static constexpr runtime::StreamHandle stream{0};

  // Device 0 and NVRTC. Errors: no_device.
  PlanRunner();

  runtime::Device& device() { return *device_; }
  const spec::DeviceTraits& traits() const { return device_->info().traits; }

  // Compiles and loads every entry of the configs that is not there yet. Empty: done; else the first failure.
  std::string build(const spec::Instance& problem, const std::vector<spec::Config>& configs);
  // Enqueues the plan. `pointers`: one per buffer of the template. Precondition: build() knew the config.
  void run(const spec::Instance& problem, const spec::Config& config,
           const std::vector<runtime::DevicePointer>& pointers);

 private:
  std::shared_ptr<runtime::Device> device_;
  std::unique_ptr<runtime::KernelBuilder> builder_;
  std::vector<std::unique_ptr<runtime::LoadedModule>> modules_;
  std::map<std::string, runtime::FunctionHandle> functions_;
};

}  // namespace warptune::test
