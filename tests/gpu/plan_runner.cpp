#include "tests/gpu/plan_runner.hpp"

#include <set>
#include <variant>

#include <warptune/runtime/compiler.hpp>

namespace warptune::test {

PlanRunner::PlanRunner()
    : device_(runtime::open_cuda_device(0)),
      builder_(std::make_unique<runtime::KernelBuilder>(runtime::open_nvrtc(), runtime::BuilderOptions{})) {}

std::string PlanRunner::build(const spec::Instance& problem, const std::vector<spec::Config>& configs) {
  runtime::CompileRequest request =
      runtime::compile_request(problem, problem.spec().default_config, device_->info().architecture());
  std::set<std::string> entries;
  for (const spec::Config& config : configs)
    for (const std::string& entry : problem.entries(config))
      if (!functions_.contains(entry)) entries.insert(entry);
  request.entries.assign(entries.begin(), entries.end());
  std::map<runtime::Image, runtime::LoadedModule*> loaded;
  for (const runtime::CompileResult& result : builder_->build(request)) {
    if (!result.kernel) return result.entry + ": " + result.log;
    runtime::LoadedModule*& module = loaded[result.kernel->image];
    if (module == nullptr) {
      modules_.push_back(device_->load(*result.kernel->image));
      module = modules_.back().get();
    }
    functions_[result.entry] = module->function(result.kernel->lowered_name);
  }
  return {};
}

void PlanRunner::run(const spec::Instance& problem, const spec::Config& config,
                     const std::vector<runtime::DevicePointer>& pointers) {
  const std::vector<spec::BufferLayout> layouts = problem.buffers(config);
  std::vector<runtime::DevicePointer> addresses = pointers;
  for (const spec::PlanStep& step : problem.plan(config).steps) {
    if (const auto* memset = std::get_if<spec::MemsetStep>(&step)) {
      device_->fill(pointers[memset->buffer], static_cast<std::uint8_t>(memset->byte),
                    static_cast<std::size_t>(layouts[memset->buffer].bytes()), stream);
      continue;
    }
    const auto& kernel = std::get<spec::KernelStep>(step);
    const runtime::FunctionHandle function = functions_.at(kernel.entry);
    constexpr std::uint32_t allowed_unasked = 48 * 1024;
    if (kernel.shared_bytes > allowed_unasked) device_->allow_shared_bytes(function, kernel.shared_bytes);
    std::vector<spec::PlanArgument> arguments = kernel.arguments;
    std::vector<void*> parameters;
    for (spec::PlanArgument& argument : arguments)
      parameters.push_back(argument.buffer == spec::PlanArgument::scalar
                               ? static_cast<void*>(argument.bytes.data())
                               : &addresses[argument.buffer]);
    device_->launch(function, runtime::shape_of(kernel), stream, parameters.data());
  }
}

}  // namespace warptune::test
