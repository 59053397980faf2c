// Launch plans: which kernels run, with what geometry and arguments.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include <warptune/spec/occupancy.hpp>

#include "kernel_templates/spec/kernel_scope.hpp"
#include "kernel_templates/spec/limits.hpp"
#include "kernel_templates/spec/search_order.hpp"

namespace warptune::spec {
namespace {

static_assert(std::endian::native == std::endian::little,
              "scalar arguments are copied as the GPU expects them");

// The scope as it is whatever the dims are.
Scope without_dims(const TemplateSpec& spec, Scope scope, const Config& config) {
  for (std::uint32_t symbol : spec.analysis->dim_symbols) scope.unset(symbol);
  for (const LetSpec& let : spec.lets) scope.unset(let.symbol);
  return bind(spec, scope, config);
}

bool is_kernel(const StepSpec& step) { return step.memset_buffer.empty(); }

bool runs(const TemplateSpec& spec, const StepSpec& step, const Scope& scope) {
  return !step.when || boolean_of(spec, step.when, scope);
}

Dim3 sizes(const TemplateSpec& spec, const std::vector<Expression>& expressions, const SizeLimits& limits,
           const char* what, const Scope& scope) {
  std::int64_t values[3] = {1, 1, 1};
  for (std::size_t i = 0; i < expressions.size(); ++i) values[i] = integer_of(spec, expressions[i], scope);
  if (!sizes_fit(expressions, limits, scope)) {
    throw EvaluationError(
        ErrorKind::bad_input,
        fmt::format("{}: {} of {} x {} x {} cannot be launched", expressions.front().where().text(), what,
                    values[0], values[1], values[2]),
        limits.text());
  }
  return {static_cast<std::uint32_t>(values[0]), static_cast<std::uint32_t>(values[1]),
          static_cast<std::uint32_t>(values[2])};
}

template <typename Scalar>
void store(std::int64_t value, const ArgumentSpec& argument, PlanArgument& result) {
  if (!std::in_range<Scalar>(value)) {
    throw EvaluationError(ErrorKind::bad_input,
                          fmt::format("{}: `{}` = {} does not fit {}", argument.value.where().text(),
                                      argument.value.text(), value, argument.type),
                          "pass it as long long");
  }
  const auto scalar = static_cast<Scalar>(value);
  std::memcpy(result.bytes.data(), &scalar, sizeof scalar);
  result.size_bytes = sizeof scalar;
}

PlanArgument scalar_argument(const TemplateSpec& spec, const ArgumentSpec& argument, const Scope& scope) {
  PlanArgument result;
  const std::int64_t value = integer_of(spec, argument.value, scope);
  if (argument.type == "int") store<std::int32_t>(value, argument, result);
  if (argument.type == "unsigned int") store<std::uint32_t>(value, argument, result);
  if (argument.type == "long long") store<std::int64_t>(value, argument, result);
  if (argument.type == "unsigned long long") store<std::uint64_t>(value, argument, result);
  return result;
}

std::size_t buffer_position(const TemplateSpec& spec, const std::string& name) {
  // Names that [check] adds stand behind the template's own.
  if (name == "reference") return spec.buffers.size();
  if (name == "scale") return spec.buffers.size() + 1;
  for (std::size_t i = 0; i < spec.check.also_outputs.size(); ++i)
    if (name == "reference." + spec.check.also_outputs[i]) return spec.buffers.size() + 2 + i;
  return spec.buffer_index(name);
}

std::uint32_t shared_bytes(const Instance& instance, const StepSpec& step, const Scope& scope) {
  if (!step.shared_bytes) return 0;
  const std::int64_t bytes = integer_of(instance.spec(), step.shared_bytes, scope);
  if (bytes < 0 || bytes > instance.device().max_shared_bytes) {
    throw EvaluationError(
        ErrorKind::bad_input,
        fmt::format("{}: {} bytes of shared memory cannot be had", step.shared_bytes.where().text(), bytes),
        fmt::format("the device allows {} per block", instance.device().max_shared_bytes));
  }
  return static_cast<std::uint32_t>(bytes);
}

KernelStep kernel_step(const Instance& instance, const StepSpec& step, const Scope& scope) {
  const TemplateSpec& spec = instance.spec();
  KernelStep result;
  result.entry = entry_text(step, spec, scope);
  result.grid = sizes(spec, step.grid, grid_limits(instance.device()), "grid", scope);
  result.block = sizes(spec, step.block, block_limits(instance.device()), "block", scope);
  result.shared_bytes = shared_bytes(instance, step, scope);
  for (const ArgumentSpec& argument : step.arguments) {
    if (argument.buffer.empty()) {
      result.arguments.push_back(scalar_argument(spec, argument, scope));
    } else {
      PlanArgument pointer;
      pointer.buffer = buffer_position(spec, argument.buffer);
      result.arguments.push_back(pointer);
    }
  }
  return result;
}

std::int64_t thread_count(const Instance& instance, const StepSpec& step, const Scope& scope) {
  const Dim3 block = sizes(instance.spec(), step.block, block_limits(instance.device()), "block", scope);
  return std::int64_t{block.x} * block.y * block.z;
}

// Why the compiled kernel of a step cannot be launched as planned.
std::optional<Exclusion> launch_exclusion(const Instance& instance, const StepSpec& step, const Scope& scope,
                                          const std::string& entry, const KernelTraits& kernel) {
  const DeviceTraits& device = instance.device();
  const std::int64_t threads = thread_count(instance, step, scope);
  if (threads > kernel.max_threads_per_block) {
    return Exclusion{fmt::format("block of {} threads in {}", threads, entry),
                     fmt::format("the compiled kernel allows {}", kernel.max_threads_per_block), true};
  }
  const std::int64_t dynamic = shared_bytes(instance, step, scope);
  if (kernel.static_shared_bytes + dynamic > device.max_shared_bytes) {
    return Exclusion{
        fmt::format("{} bytes of shared memory in {}", kernel.static_shared_bytes + dynamic, entry),
        fmt::format("the device allows {} per block", device.max_shared_bytes), true};
  }
  if (blocks_per_sm(device, kernel, threads, dynamic) < 1) {
    return Exclusion{fmt::format("{} registers x {} threads in {}", kernel.registers, threads, entry),
                     fmt::format("the device has {} registers per multiprocessor", device.registers_per_sm),
                     true};
  }
  return std::nullopt;
}

}  // namespace

std::string entry_text(const StepSpec& step, const TemplateSpec& spec, const Scope& scope) {
  std::string text;
  for (const EntryPart& part : step.entry_parts) {
    text += part.text;
    if (part.symbol == EntryPart::no_symbol) continue;
    const Value value = scope.get(part.symbol);
    if (!value.is_set()) {
      throw EvaluationError(
          ErrorKind::bad_input,
          fmt::format("{}: hole {{{}}} has no value", step.where.text(), spec.symbols.name(part.symbol)));
    }
    text += value.text();
  }
  return text;
}

Scope with_kernel(const Instance& instance, const StepSpec& step, const Scope& scope,
                  const TraitsLookup& traits) {
  const TemplateSpec& spec = instance.spec();
  bool asked = false;
  for (const std::string& name : kernel_trait_names())
    asked = asked || spec.symbols.find("kernel." + name) != nullptr;
  if (!asked || !traits) return scope;
  const std::optional<KernelTraits> kernel = traits(entry_text(step, spec, scope));
  if (!kernel) return scope;
  Scope result = scope;
  auto set = [&](const char* name, std::int64_t value) {
    if (const std::uint32_t* symbol = spec.symbols.find(name)) result.set(*symbol, Value::integer(value));
  };
  set("kernel.registers", kernel->registers);
  set("kernel.local_bytes", kernel->local_bytes);
  set("kernel.static_shared_bytes", kernel->static_shared_bytes);
  set("kernel.max_threads_per_block", kernel->max_threads_per_block);
  set("kernel.blocks_per_sm", blocks_per_sm(instance.device(), *kernel, thread_count(instance, step, scope),
                                            shared_bytes(instance, step, scope)));
  bind_lets(spec, result);
  return result;
}

std::vector<std::string> Instance::entries(const Config& config) const {
  const Scope scope = without_dims(*spec_, fixed_->scope, config);
  std::vector<std::string> result;
  for (const StepSpec& step : spec_->steps) {
    if (!is_kernel(step) || (step.when && step.when.decide(scope) == false)) continue;
    std::string entry = entry_text(step, *spec_, scope);
    if (std::find(result.begin(), result.end(), entry) == result.end()) result.push_back(std::move(entry));
  }
  return result;
}

LaunchPlan Instance::plan(const Config& config, const TraitsLookup& traits) const {
  const Scope scope = bind(*spec_, fixed_->scope, config);
  LaunchPlan result;
  for (const StepSpec& step : spec_->steps) {
    if (!runs(*spec_, step, scope)) continue;
    if (is_kernel(step)) {
      KernelStep kernel = kernel_step(*this, step, with_kernel(*this, step, scope, traits));
      kernel.programmatic = step.programmatic &&
                            (result.steps.empty() || std::holds_alternative<KernelStep>(result.steps.back()));
      result.steps.emplace_back(std::move(kernel));
    } else {
      result.steps.emplace_back(MemsetStep{spec_->buffer_index(step.memset_buffer), step.memset_byte});
    }
  }
  return result;
}

KernelStep Instance::check_plan() const { return kernel_step(*this, spec_->check.reference, fixed_->scope); }

std::optional<Exclusion> Instance::excluded_late(const Config& config, const TraitsLookup& traits) const {
  const Scope scope = bind(*spec_, fixed_->scope, config);
  bool is_first = true;
  for (const StepSpec& step : spec_->steps) {
    if (!is_kernel(step) || !runs(*spec_, step, scope)) continue;
    const std::string entry = entry_text(step, *spec_, scope);
    const std::optional<KernelTraits> kernel = traits ? traits(entry) : std::nullopt;
    if (kernel) {
      if (auto exclusion = launch_exclusion(*this, step, scope, entry, *kernel)) return exclusion;
      const Scope compiled = with_kernel(*this, step, scope, traits);
      if (!sizes_fit(step.grid, grid_limits(device_), compiled)) {
        return explain(*this,
                       {Check::Kind::grid, static_cast<std::size_t>(&step - spec_->steps.data()), 0, false},
                       compiled);
      }
      // In constraints, kernel.* speaks of the first kernel that runs.
      for (std::size_t i = 0; is_first && i < spec_->constraints.size(); ++i) {
        const bool is_late =
            (spec_->analysis->depends(spec_->constraints[i].expression).groups & group::kernel) != 0;
        const Check check{Check::Kind::constraint, i, 0, false};
        if (is_late && !passes(*this, check, compiled)) return explain(*this, check, compiled);
      }
    }
    is_first = false;
  }
  return std::nullopt;
}

}  // namespace warptune::spec
