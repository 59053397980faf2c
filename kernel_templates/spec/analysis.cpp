#include "kernel_templates/spec/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <warptune/base/text.hpp>

#include "kernel_templates/spec/expression_program.hpp"
#include "kernel_templates/spec/manifest_reader.hpp"

namespace warptune::spec {
namespace {

constexpr std::string_view device_prefix = "device.";
constexpr std::string_view kernel_prefix = "kernel.";

// First place where the expression mentions the symbol.
Location mention(const Expression& expression, std::uint32_t symbol) {
  for (const ExpressionNode& node : expression.program().nodes) {
    if (node.op == Op::variable && node.symbol == symbol) return expression.location_at(node.offset);
  }
  return expression.where();
}

std::string_view describe_groups(Groups groups) {
  if ((groups & group::kernel) != 0) return "the compiled kernel";
  if ((groups & group::tunable) != 0) return "tunables";
  if ((groups & group::dim) != 0) return "dims";
  if ((groups & group::device) != 0) return "the device";
  return (groups & group::attribute) != 0 ? "attributes" : "types";
}

class Analyser {
 public:
  explicit Analyser(TemplateSpec& spec) : spec_(spec) {}

  void run() {
    declare();
    check_dim_defaults();
    resolve_lets();
    check_constraints();
    check_buffers();
    for (const StepSpec& step : spec_.steps)
      check_step(step, group::all, group::type | group::attribute | group::tunable);
    check_verification();
    check_integer(spec_.cost_bytes, group::problem, "[cost] bytes");
    check_integer(spec_.cost_flops, group::problem, "[cost] flops");
    check_default();
    check_variants();
    analysis_.checks = make_checks(spec_, analysis_);
    analysis_.levels = make_levels(spec_, analysis_, ~TunableMask{0});
    spec_.analysis = std::make_shared<const Analysis>(std::move(analysis_));
  }

 private:
  SymbolInfo& declare(std::uint32_t symbol, Value::Kind kind, Groups groups) {
    if (symbol >= analysis_.symbols.size()) analysis_.symbols.resize(symbol + 1);
    SymbolInfo& info = analysis_.symbols[symbol];
    info.known = true;
    info.kind = kind;
    info.depends.groups = groups;
    return info;
  }

  void declare() {
    analysis_.symbols.resize(spec_.symbols.size());
    for (const TypeParameter& type : spec_.type_parameters) {
      const std::uint32_t symbol = spec_.symbols.intern(type.name);
      analysis_.type_symbols.push_back(symbol);
      declare(symbol, Value::Kind::word, group::type).words = type.allowed;
    }
    for (const AttributeSpec& attribute : spec_.attributes) {
      const std::uint32_t symbol = spec_.symbols.intern(attribute.name);
      analysis_.attribute_symbols.push_back(symbol);
      declare(symbol, Value::Kind::word, group::attribute).words = attribute.allowed;
    }
    for (const DimSpec& dim : spec_.dims) {
      const std::uint32_t symbol = spec_.symbols.intern(dim.name);
      analysis_.dim_symbols.push_back(symbol);
      declare(symbol, Value::Kind::integer, group::dim);
    }
    for (std::size_t i = 0; i < spec_.tunables.size(); ++i) {
      const Tunable& tunable = spec_.tunables[i];
      SymbolInfo& info = declare(tunable.symbol, tunable.values.front().value.kind(), group::tunable);
      info.depends.tunables = TunableMask{1} << i;
      if (info.kind != Value::Kind::word) continue;
      for (const TunableValue& value : tunable.values) info.words.push_back(value.value.text());
    }
    for (const std::string& name : device_limit_names()) {
      const std::uint32_t* symbol = spec_.symbols.find(std::string(device_prefix) + name);
      if (symbol == nullptr) continue;
      analysis_.device_symbols.push_back(*symbol);
      declare(*symbol, Value::Kind::integer, group::device);
    }
    for (const std::string& name : kernel_trait_names()) {
      const std::uint32_t* symbol = spec_.symbols.find(std::string(kernel_prefix) + name);
      if (symbol != nullptr) declare(*symbol, Value::Kind::integer, group::kernel);
    }
  }

  std::vector<std::string> known_names(std::string_view beside) const {
    std::vector<std::string> names;
    auto add = [&](std::string_view prefix, const std::vector<std::string>& members) {
      for (const std::string& member : members) names.push_back(std::string(prefix) + member);
    };
    if (beside.starts_with(device_prefix)) {
      add(device_prefix, device_limit_names());
    } else if (beside.starts_with(kernel_prefix)) {
      add(kernel_prefix, kernel_trait_names());
    } else {
      for (std::uint32_t symbol = 0; symbol < analysis_.symbols.size(); ++symbol) {
        if (analysis_.symbols[symbol].known) names.push_back(spec_.symbols.name(symbol));
      }
    }
    return names;
  }

  void require_known(std::uint32_t symbol, const Location& where) const {
    if (symbol < analysis_.symbols.size() && analysis_.symbols[symbol].known) return;
    const std::string& name = spec_.symbols.name(symbol);
    for (const LetSpec& let : spec_.lets) {
      if (let.name == name)
        manifest_fail(where, fmt::format("let '{}' is used before it is defined", name), "move it up");
    }
    manifest_fail(where, fmt::format("unknown name '{}'", name), name_hint(name, known_names(name)));
  }

  // Names known, kinds right, dependencies among `allowed`.
  Value::Kind check(const Expression& expression, Groups allowed, std::string_view what) const {
    for (std::uint32_t symbol : expression.variables()) {
      const Location where = mention(expression, symbol);
      require_known(symbol, where);
      const Groups excess = analysis_.symbols[symbol].depends.groups & ~allowed;
      if (excess != 0) {
        manifest_fail(where,
                      fmt::format("{} cannot depend on {} ('{}')", what, describe_groups(excess),
                                  spec_.symbols.name(symbol)),
                      "docs/templates.md says what may stand where");
      }
    }
    return infer_kind(expression, analysis_);
  }

  void check_integer(const Expression& expression, Groups allowed, std::string_view what) const {
    if (!expression || check(expression, allowed, what) == Value::Kind::integer) return;
    manifest_fail(expression.where(), fmt::format("{} is no integer", what));
  }

  void check_boolean(const Expression& expression, Groups allowed, std::string_view what) const {
    if (!expression || check(expression, allowed, what) == Value::Kind::boolean) return;
    manifest_fail(expression.where(), fmt::format("{} is not true or false", what), "write a comparison");
  }

  void resolve_lets() {
    for (const LetSpec& let : spec_.lets) {
      const Value::Kind kind = check(let.value, group::all, "[let]");
      SymbolInfo& info = declare(let.symbol, kind, 0);
      info.depends = analysis_.depends(let.value);
    }
  }

  // A default is evaluated before anything but types and the given dims is known.
  void check_dim_defaults() const {
    for (const DimSpec& dim : spec_.dims) {
      check_integer(dim.default_value, group::type | group::dim, "a dim's default");
      if (!dim.default_value) continue;
      for (std::size_t i = 0; i < spec_.dims.size(); ++i) {
        const auto& names = dim.default_value.variables();
        if (!spec_.dims[i].default_value ||
            std::find(names.begin(), names.end(), analysis_.dim_symbols[i]) == names.end())
          continue;
        manifest_fail(
            mention(dim.default_value, analysis_.dim_symbols[i]),
            fmt::format("the default of '{}' names '{}', which has one itself", dim.name, spec_.dims[i].name),
            "use dims that are always given");
      }
    }
  }

  void check_constraints() const {
    for (const ConstraintSpec& constraint : spec_.constraints) {
      const Groups allowed = constraint.search_only ? group::before_compile : group::all;
      check_boolean(constraint.expression, allowed, "[[constraint]] expression");
    }
  }

  void check_buffers() const {
    for (const BufferSpec& buffer : spec_.buffers) {
      check_integer(buffer.elements, group::all, "[[buffer]] elements");
      check_integer(buffer.alignment_bytes, group::before_compile, "[[buffer]] alignment");
      check_integer(buffer.fill_bound, group::problem, "[[buffer]] bound");
    }
  }

  void check_step(const StepSpec& step, Groups allowed, Groups allowed_in_holes) const {
    for (const EntryPart& part : step.entry_parts) {
      if (part.symbol == EntryPart::no_symbol) continue;
      const std::string& name = spec_.symbols.name(part.symbol);
      require_known(part.symbol, step.where);
      const Groups excess = analysis_.symbols[part.symbol].depends.groups & ~allowed_in_holes;
      if (excess != 0) {
        manifest_fail(step.where, fmt::format("hole {{{}}} depends on {}", name, describe_groups(excess)),
                      "pass it as a launch argument instead");
      }
    }
    for (const ArgumentSpec& argument : step.arguments)
      check_integer(argument.value, allowed, "a scalar argument");
    for (const Expression& size : step.grid) check_integer(size, allowed, "grid");
    // What a compiled kernel offers depends on its block, so the block cannot depend on that in turn.
    const Groups early = allowed & group::before_compile;
    for (const Expression& size : step.block) check_integer(size, early, "block");
    check_integer(step.shared_bytes, early, "shared");
    check_boolean(step.when, early, "when");
  }

  void check_verification() const {
    check_step(spec_.check.reference, group::problem, group::type | group::attribute);
    for (const CheckInput& input : spec_.check.inputs) {
      check_boolean(input.when, group::before_compile, "[[check.input]] when");
    }
    for (const auto& dims : spec_.check.also_dims) {
      for (const auto& [name, value] : dims) check_integer(value, group::problem, "[[check.dims]]");
    }
  }

  void check_variants() const {
    for (const VariantSpec& variant : spec_.variants)
      check_boolean(variant.when, group::type, "[[variant]] when");
  }

  // Every constraint that types and tunables decide must hold for the default, whatever the types.
  void check_default() const {
    Scope scope(spec_.symbols.size());
    for (std::size_t i = 0; i < spec_.tunables.size(); ++i) {
      scope.set(spec_.tunables[i].symbol, spec_.default_config.values[i]);
    }
    check_default_for(0, scope);
  }

  void check_default_for(std::size_t type, Scope& scope) const {
    if (type < spec_.type_parameters.size()) {
      for (const std::string& name : spec_.type_parameters[type].allowed) {
        scope.set(analysis_.type_symbols[type], Value::word(name));
        check_default_for(type + 1, scope);
      }
      return;
    }
    for (const LetSpec& let : spec_.lets) scope.set(let.symbol, let.value.try_evaluate(scope));
    for (const ConstraintSpec& constraint : spec_.constraints) {
      if (constraint.search_only || constraint.expression.decide(scope) != false) continue;
      std::string types;
      for (std::size_t i = 0; i < spec_.type_parameters.size(); ++i) {
        types += fmt::format(" for {} = {}", spec_.type_parameters[i].name,
                             scope.get(analysis_.type_symbols[i]).text());
      }
      manifest_fail(constraint.expression.where(),
                    fmt::format("[default] does not meet `{}`{}", constraint.expression.text(), types),
                    "the default must be valid for every problem");
    }
  }

  TemplateSpec& spec_;
  Analysis analysis_;
};

}  // namespace

Dependencies Analysis::depends(const Expression& expression) const {
  Dependencies result;
  for (std::uint32_t symbol : expression.variables()) result = result | symbols[symbol].depends;
  return result;
}

Dependencies Analysis::depends(const std::vector<EntryPart>& parts) const {
  Dependencies result;
  for (const EntryPart& part : parts) {
    if (part.symbol != EntryPart::no_symbol) result = result | symbols[part.symbol].depends;
  }
  return result;
}

const std::vector<std::string>& kernel_trait_names() {
  static const std::vector<std::string> names{"registers", "local_bytes", "static_shared_bytes",
                                              "max_threads_per_block", "blocks_per_sm"};
  return names;
}

void analyse(TemplateSpec& spec) { Analyser(spec).run(); }

}  // namespace warptune::spec
