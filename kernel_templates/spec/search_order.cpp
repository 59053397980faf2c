#include "kernel_templates/spec/search_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernel_templates/spec/limits.hpp"

namespace warptune::spec {
namespace {

const TunableValue* find_value(const Tunable& tunable, Value value) {
  for (const TunableValue& candidate : tunable.values) {
    if (candidate.value == value) return &candidate;
  }
  return nullptr;
}

void throw_failed_let(const TemplateSpec& spec, const Expression& expression, const Scope& scope) {
  for (const LetSpec& let : spec.lets) {
    const auto& variables = expression.variables();
    if (scope.get(let.symbol).is_set() || !std::binary_search(variables.begin(), variables.end(), let.symbol))
      continue;
    throw_failed_let(spec, let.value, scope);
    let.value.evaluate(scope);
  }
}

class Walk {
 public:
  Walk(const Instance& instance, const std::vector<Level>& levels,
       const std::function<bool(const Scope&)>& visit,
       const std::function<void(std::size_t, std::int64_t)>& reject)
      : instance_(instance), levels_(levels), visit_(visit), reject_(reject), scope_(instance.fixed().scope) {
    below_.assign(levels.size() + 1, 1);
    for (std::size_t i = levels.size(); i-- > 0;) {
      const auto count = static_cast<std::int64_t>(instance.spec().tunables[levels[i].tunable].values.size());
      below_[i] = saturating_product(below_[i + 1], count);
    }
  }

  bool run(std::size_t depth) {
    if (depth == levels_.size()) return !visit_ || visit_(scope_);
    const Level& level = levels_[depth];
    for (const TunableValue& value : instance_.spec().tunables[level.tunable].values) {
      const std::size_t failed = bind_level(instance_, level, value.value, scope_);
      if (failed != no_check) {
        if (reject_) reject_(failed, below_[depth + 1]);
      } else if (!run(depth + 1)) {
        return false;
      }
    }
    return true;
  }

 private:
  const Instance& instance_;
  const std::vector<Level>& levels_;
  const std::function<bool(const Scope&)>& visit_;
  const std::function<void(std::size_t, std::int64_t)>& reject_;
  std::vector<std::int64_t> below_;  // combinations of the levels from here on
  Scope scope_;
};

}  // namespace

Instance::Fixed::Fixed(const TemplateSpec& spec, const Problem& problem, const DeviceTraits& device)
    : scope(spec.symbols.size()) {
  const Analysis& analysis = *spec.analysis;
  for (std::size_t i = 0; i < spec.type_parameters.size(); ++i) {
    scope.set(analysis.type_symbols[i], Value::word(problem.types.at(spec.type_parameters[i].name)));
  }
  for (std::size_t i = 0; i < spec.attributes.size(); ++i) {
    scope.set(analysis.attribute_symbols[i], Value::word(problem.attributes.at(spec.attributes[i].name)));
  }
  for (std::size_t i = 0; i < spec.dims.size(); ++i) {
    scope.set(analysis.dim_symbols[i], Value::integer(problem.dims.at(spec.dims[i].name)));
  }
  for (std::uint32_t symbol : analysis.device_symbols) {
    const std::string_view name =
        std::string_view(spec.symbols.name(symbol)).substr(std::string_view("device.").size());
    scope.set(symbol, Value::integer(device.limit(name).value()));
  }
  bind_lets(spec, scope);
}

bool passes(const Instance& instance, const Check& check, const Scope& scope) {
  const TemplateSpec& spec = instance.spec();
  if (check.kind == Check::Kind::numerics) {
    const Tunable& tunable = spec.tunables[check.index];
    const TunableValue* value = find_value(tunable, scope.get(tunable.symbol));
    return value != nullptr && instance.problem().allowed.covers(value->numerics);
  }
  if (check.kind == Check::Kind::constraint) {
    return spec.constraints[check.index].expression.try_evaluate(scope) == Value::boolean(true);
  }
  const StepSpec& step = spec.steps[check.index];
  if (step.when) {
    const Value when = step.when.try_evaluate(scope);
    if (when == Value::boolean(false)) return true;
    if (!when.is_set()) return false;
  }
  switch (check.kind) {
    case Check::Kind::block:
      return sizes_fit(step.block, block_limits(instance.device()), scope);
    case Check::Kind::grid:
      return sizes_fit(step.grid, grid_limits(instance.device()), scope);
    default: {
      const Value bytes = step.shared_bytes.try_evaluate(scope);
      return bytes.is_set() && bytes.as_integer() >= 0 &&
             bytes.as_integer() <= instance.device().max_shared_bytes;
    }
  }
}

bool meets_checks(const Instance& instance, const Config& config) {
  const Scope scope = bind(instance.spec(), instance.fixed().scope, config);
  const std::vector<Check>& checks = instance.spec().analysis->checks;
  return std::all_of(checks.begin(), checks.end(),
                     [&](const Check& check) { return passes(instance, check, scope); });
}

Exclusion describe(const Instance& instance, const Check& check) {
  const TemplateSpec& spec = instance.spec();
  switch (check.kind) {
    case Check::Kind::numerics:
      return {fmt::format("numerics class of {}", spec.tunables[check.index].name),
              fmt::format("the caller allows {}", instance.problem().allowed.key())};
    case Check::Kind::constraint:
      return {spec.constraints[check.index].expression.text(), spec.constraints[check.index].why};
    case Check::Kind::block:
      return {fmt::format("block of {}", spec.steps[check.index].entry),
              block_limits(instance.device()).text()};
    case Check::Kind::grid:
      return {fmt::format("grid of {}", spec.steps[check.index].entry),
              grid_limits(instance.device()).text()};
    case Check::Kind::shared:
      return {fmt::format("shared memory of {}", spec.steps[check.index].entry),
              fmt::format("the device allows {} bytes per block", instance.device().max_shared_bytes)};
  }
  return {};
}

Exclusion explain(const Instance& instance, const Check& check, const Scope& scope) {
  const TemplateSpec& spec = instance.spec();
  Exclusion exclusion = describe(instance, check);
  try {
    if (check.kind == Check::Kind::numerics) {
      const Tunable& tunable = spec.tunables[check.index];
      const Value value = scope.get(tunable.symbol);
      const TunableValue* known = find_value(tunable, value);
      const std::string setting = fmt::format("{} = {}", tunable.name, value.text());
      if (known == nullptr) return {setting, "the value is not in the tunable's list"};
      return {setting, fmt::format("it is {}, the caller allows {}", known->numerics.key(),
                                   instance.problem().allowed.key())};
    }
    if (check.kind == Check::Kind::constraint) {
      boolean_of(spec, spec.constraints[check.index].expression, scope);
      return exclusion;
    }
    const StepSpec& step = spec.steps[check.index];
    if (step.when) boolean_of(spec, step.when, scope);
    if (check.kind == Check::Kind::shared) {
      const std::int64_t bytes = integer_of(spec, step.shared_bytes, scope);
      exclusion.constraint = fmt::format("{} bytes of shared memory in {}", bytes, step.entry);
    } else {
      std::string sizes;
      for (const Expression& size : check.kind == Check::Kind::block ? step.block : step.grid) {
        sizes += fmt::format("{}{}", sizes.empty() ? "" : " x ", integer_of(spec, size, scope));
      }
      exclusion.constraint = fmt::format(
          "{} of {} in {}", check.kind == Check::Kind::block ? "block" : "grid", sizes, step.entry);
    }
  } catch (const Error& error) {
    exclusion.why = error.what();
  }
  return exclusion;
}

std::size_t bind_level(const Instance& instance, const Level& level, Value value, Scope& scope) {
  const TemplateSpec& spec = instance.spec();
  scope.set(spec.tunables[level.tunable].symbol, value);
  for (std::size_t index : level.lets) {
    scope.set(spec.lets[index].symbol, spec.lets[index].value.try_evaluate(scope));
  }
  for (std::size_t index : level.checks) {
    if (!passes(instance, spec.analysis->checks[index], scope)) return index;
  }
  return no_check;
}

void walk(const Instance& instance, const std::vector<Level>& levels,
          const std::function<bool(const Scope&)>& visit,
          const std::function<void(std::size_t, std::int64_t)>& reject) {
  Walk(instance, levels, visit, reject).run(0);
}

Scope bind(const TemplateSpec& spec, const Scope& fixed, const Config& config) {
  if (config.values.size() != spec.tunables.size()) {
    throw Error(ErrorKind::usage,
                fmt::format("config of {} values, {} has {} tunables", config.values.size(), spec.name,
                            spec.tunables.size()),
                "take configs from Space or from_named");
  }
  Scope scope = fixed;
  for (std::size_t i = 0; i < spec.tunables.size(); ++i) scope.set(spec.tunables[i].symbol, config.values[i]);
  bind_lets(spec, scope);
  return scope;
}

void bind_lets(const TemplateSpec& spec, Scope& scope) {
  for (const LetSpec& let : spec.lets) {
    if (!scope.get(let.symbol).is_set()) scope.set(let.symbol, let.value.try_evaluate(scope));
  }
}

std::int64_t integer_of(const TemplateSpec& spec, const Expression& expression, const Scope& scope) {
  if (!expression.try_evaluate(scope).is_set()) throw_failed_let(spec, expression, scope);
  return expression.evaluate_integer(scope);
}

bool boolean_of(const TemplateSpec& spec, const Expression& expression, const Scope& scope) {
  if (!expression.try_evaluate(scope).is_set()) throw_failed_let(spec, expression, scope);
  return expression.evaluate_boolean(scope);
}

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

}  // namespace warptune::spec
