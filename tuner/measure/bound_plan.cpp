#include "tuner/measure/bound_plan.hpp"

#include <array>

#include <warptune/base/error.hpp>

namespace warptune::tuner {
namespace {

constexpr std::size_t max_arguments = 64;
constexpr std::uint32_t shared_bytes_without_opt_in = 48 * 1024;

void check_arguments(const spec::KernelStep& step) {
  if (step.arguments.size() > max_arguments)
    throw Error(ErrorKind::unsupported,
                step.entry + " has " + std::to_string(step.arguments.size()) + " arguments",
                "pass at most " + std::to_string(max_arguments));
}

}  // namespace

BoundPlan::BoundPlan(runtime::Device& device, const spec::Instance& instance, const spec::Config& config,
                     const KernelSet& kernels)
    : plan_(instance.plan(config, kernels.traits)), layouts_(instance.buffers(config, kernels.traits)) {
  for (const spec::PlanStep& step : plan_.steps) {
    functions_.emplace_back();
    const auto* kernel = std::get_if<spec::KernelStep>(&step);
    if (!kernel) continue;
    check_arguments(*kernel);
    functions_.back() = kernels.function(kernel->entry);
    const std::optional<spec::KernelTraits> traits = kernels.traits(kernel->entry);
    const auto static_bytes = static_cast<std::uint32_t>(traits ? traits->static_shared_bytes : 0);
    if (kernel->shared_bytes > 0 && kernel->shared_bytes + static_bytes > shared_bytes_without_opt_in)
      device.allow_shared_bytes(functions_.back(), kernel->shared_bytes);
  }
}

BoundPlan::BoundPlan(spec::KernelStep step, runtime::FunctionHandle function) : functions_{function} {
  check_arguments(step);
  plan_.steps.emplace_back(std::move(step));
}

void BoundPlan::enqueue(runtime::Device& device, std::span<const runtime::DevicePointer> buffers,
                        runtime::StreamHandle stream) const {
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    if (const auto* memset = std::get_if<spec::MemsetStep>(&plan_.steps[i])) {
      const auto bytes = static_cast<std::size_t>(layouts_[memset->buffer].bytes());
      if (bytes > 0)
        device.fill(buffers[memset->buffer], static_cast<std::uint8_t>(memset->byte), bytes, stream);
      continue;
    }
    const auto& step = std::get<spec::KernelStep>(plan_.steps[i]);
    // The driver takes pointers to mutable values and only reads them.
    std::array<void*, max_arguments> arguments{};
    for (std::size_t a = 0; a < step.arguments.size(); ++a) {
      const spec::PlanArgument& argument = step.arguments[a];
      const void* value = argument.buffer == spec::PlanArgument::scalar
                              ? static_cast<const void*>(argument.bytes.data())
                              : static_cast<const void*>(&buffers[argument.buffer]);
      arguments[a] = const_cast<void*>(value);
    }
    device.launch(functions_[i], runtime::shape_of(step), stream, arguments.data());
  }
}

}  // namespace warptune::tuner
