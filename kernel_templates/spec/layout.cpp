// Sizes and alignments of an instance's buffers.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <warptune/spec/element_type.hpp>

#include "kernel_templates/spec/kernel_scope.hpp"
#include "kernel_templates/spec/search_order.hpp"

namespace warptune::spec {
namespace {

std::int64_t bytes_per_element(const BufferSpec& buffer, const Problem& problem) {
  return find_element_type(element_type_name(buffer, problem))->size_bytes;
}

bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

std::int64_t alignment_of(const Instance& instance, const BufferSpec& buffer, const Scope& scope) {
  const std::int64_t element = bytes_per_element(buffer, instance.problem());
  if (!buffer.alignment_bytes) return element;
  const std::int64_t alignment = integer_of(instance.spec(), buffer.alignment_bytes, scope);
  if (!is_power_of_two(alignment)) {
    throw EvaluationError(ErrorKind::bad_input,
                          fmt::format("{}: alignment of buffer '{}' is {}, no power of two",
                                      buffer.alignment_bytes.where().text(), buffer.name, alignment));
  }
  return std::max(alignment, element);
}

std::int64_t class_of(const Instance& instance, const Scope& scope) {
  std::int64_t result = 1;
  for (const BufferSpec& buffer : instance.spec().buffers) {
    if (!is_operand(buffer.role)) continue;
    const std::int64_t alignment = alignment_of(instance, buffer, scope);
    if (alignment > bytes_per_element(buffer, instance.problem())) result = std::max(result, alignment);
  }
  return result;
}

}  // namespace

const std::string& element_type_name(const BufferSpec& buffer, const Problem& problem) {
  const auto parameter = problem.types.find(buffer.type);
  return parameter == problem.types.end() ? buffer.type : parameter->second;
}

std::int64_t Instance::alignment_class(const Config& config) const {
  return class_of(*this, bind(*spec_, fixed_->scope, config));
}

std::vector<std::int64_t> Instance::alignment_classes() const {
  // Only the tunables that alignments depend on are varied, so this stays quick in a large space.
  TunableMask mask = 0;
  for (const BufferSpec& buffer : spec_->buffers) {
    if (is_operand(buffer.role)) mask |= spec_->analysis->depends(buffer.alignment_bytes).tunables;
  }
  std::set<std::int64_t> classes;
  walk(*this, make_levels(*spec_, *spec_->analysis, mask),
       [&](const Scope& scope) {
         classes.insert(class_of(*this, scope));
         return true;
       },
       {});
  return {classes.begin(), classes.end()};
}

std::vector<BufferLayout> Instance::buffers(const Config& config, const TraitsLookup& traits) const {
  Scope scope = bind(*spec_, fixed_->scope, config);
  for (const StepSpec& step : spec_->steps) {
    if (!step.memset_buffer.empty() || (step.when && !boolean_of(*spec_, step.when, scope))) continue;
    scope = with_kernel(*this, step, scope, traits);
    break;
  }
  std::vector<BufferLayout> layouts;
  for (const BufferSpec& buffer : spec_->buffers) {
    BufferLayout layout;
    layout.elements = integer_of(*spec_, buffer.elements, scope);
    layout.element_bytes = bytes_per_element(buffer, problem_);
    layout.alignment_bytes = alignment_of(*this, buffer, scope);
    std::int64_t bytes = 0;
    if (layout.elements < 0 || __builtin_mul_overflow(layout.elements, layout.element_bytes, &bytes)) {
      throw EvaluationError(
          ErrorKind::bad_input,
          fmt::format("{}: buffer '{}' would hold {} elements of {} bytes", buffer.elements.where().text(),
                      buffer.name, layout.elements, layout.element_bytes),
          "choose smaller dims");
    }
    layouts.push_back(layout);
  }
  return layouts;
}

}  // namespace warptune::spec
