#include <warptune/spec/instance.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <warptune/base/text.hpp>
#include <warptune/spec/element_type.hpp>

#include "kernel_templates/spec/search_order.hpp"

namespace warptune::spec {
namespace {

template <typename Named>
std::vector<std::string> names_of(const std::vector<Named>& list) {
  std::vector<std::string> names;
  for (const Named& item : list) names.push_back(item.name);
  return names;
}

template <typename Map>
void check_names(const Map& given, const std::vector<std::string>& known, const char* what,
                 const std::string& kernel) {
  for (const auto& [name, value] : given) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(ErrorKind::bad_input, fmt::format("{} has no {} '{}'", kernel, what, name),
                name_hint(name, known));
  }
}

void check_types(const TemplateSpec& spec, Problem& problem) {
  check_names(problem.types, names_of(spec.type_parameters), "type", spec.name);
  for (const TypeParameter& parameter : spec.type_parameters) {
    const auto found = problem.types.find(parameter.name);
    if (found == problem.types.end()) {
      throw Error(ErrorKind::bad_input, fmt::format("type {} of {} is not given", parameter.name, spec.name),
                  "allowed: " + join(parameter.allowed));
    }
    const auto known = find_element_type(found->second);
    const std::string name(known ? known->name : std::string_view(found->second));
    if (std::find(parameter.allowed.begin(), parameter.allowed.end(), name) == parameter.allowed.end()) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("type {} of {} cannot be '{}'", parameter.name, spec.name, found->second),
                  "allowed: " + join(parameter.allowed));
    }
    found->second = name;
  }
}

// Dims that were not given and have a default get it.
void complete_dims(const TemplateSpec& spec, Problem& problem) {
  Scope scope(spec.symbols.size());
  const Analysis& analysis = *spec.analysis;
  for (std::size_t i = 0; i < spec.type_parameters.size(); ++i)
    scope.set(analysis.type_symbols[i], Value::word(problem.types.at(spec.type_parameters[i].name)));
  for (std::size_t i = 0; i < spec.dims.size(); ++i) {
    const auto given = problem.dims.find(spec.dims[i].name);
    if (given != problem.dims.end()) scope.set(analysis.dim_symbols[i], Value::integer(given->second));
  }
  for (const DimSpec& dim : spec.dims) {
    if (dim.default_value && !problem.dims.contains(dim.name))
      problem.dims.emplace(dim.name, integer_of(spec, dim.default_value, scope));
  }
}

void check_dims(const TemplateSpec& spec, const Problem& problem) {
  check_names(problem.dims, names_of(spec.dims), "dim", spec.name);
  for (const DimSpec& dim : spec.dims) {
    const auto found = problem.dims.find(dim.name);
    if (found == problem.dims.end()) {
      throw Error(ErrorKind::bad_input, fmt::format("dim {} of {} is not given", dim.name, spec.name),
                  "dims: " + join(names_of(spec.dims)));
    }
    if (found->second < 0) {
      throw Error(ErrorKind::bad_input, fmt::format("dim {} = {} is negative", dim.name, found->second),
                  "dims count elements: 0 or more");
    }
  }
}

void check_attributes(const TemplateSpec& spec, Problem& problem) {
  check_names(problem.attributes, names_of(spec.attributes), "attribute", spec.name);
  for (const AttributeSpec& attribute : spec.attributes) {
    const std::string& word = problem.attributes.emplace(attribute.name, "any").first->second;
    if (std::find(attribute.allowed.begin(), attribute.allowed.end(), word) != attribute.allowed.end())
      continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("attribute {} of {} cannot be '{}'", attribute.name, spec.name, word),
                "allowed: " + join(attribute.allowed));
  }
}

const TunableValue* find_value(const Tunable& tunable, Value value) {
  const auto found = std::find_if(tunable.values.begin(), tunable.values.end(),
                                  [&](const TunableValue& candidate) { return candidate.value == value; });
  return found == tunable.values.end() ? nullptr : &*found;
}

}  // namespace

Instance::Instance(TemplatePtr spec, Problem problem, DeviceTraits device)
    : spec_(std::move(spec)), problem_(std::move(problem)), device_(std::move(device)) {
  check_types(*spec_, problem_);
  complete_dims(*spec_, problem_);
  check_dims(*spec_, problem_);
  check_attributes(*spec_, problem_);
  fixed_ = std::make_shared<const Fixed>(*spec_, problem_, device_);
}

Instance Instance::with_dims(const std::map<std::string, std::int64_t, std::less<>>& dims) const {
  Problem problem = problem_;
  problem.dims = dims;
  return {spec_, std::move(problem), device_};
}

std::vector<std::map<std::string, std::int64_t, std::less<>>> Instance::also_dims() const {
  std::vector<std::map<std::string, std::int64_t, std::less<>>> result;
  std::set<std::map<std::string, std::int64_t, std::less<>>> seen{problem_.dims};
  for (const auto& also : spec_->check.also_dims) {
    auto dims = problem_.dims;
    bool exists = true;
    for (const auto& [name, expression] : also) {
      const Value value = expression.try_evaluate(fixed_->scope);
      exists = exists && value.is_set() && value.as_integer() >= 0;
      dims[name] = value.as_integer();
    }
    if (exists && seen.insert(dims).second) result.push_back(std::move(dims));
  }
  return result;
}

std::optional<Exclusion> Instance::excluded(const Config& config) const {
  const Scope scope = bind(*spec_, fixed_->scope, config);
  for (const Check& check : spec_->analysis->checks) {
    if (!check.search_only && !passes(*this, check, scope)) return explain(*this, check, scope);
  }
  return std::nullopt;
}

std::optional<Exclusion> Instance::excluded_from_search(const Config& config) const {
  const Scope scope = bind(*spec_, fixed_->scope, config);
  for (const Check& check : spec_->analysis->checks) {
    if (!passes(*this, check, scope)) return explain(*this, check, scope);
  }
  return std::nullopt;
}

Numerics Instance::numerics(const Config& config) const {
  Numerics result;
  for (std::size_t i = 0; i < std::min(config.values.size(), spec_->tunables.size()); ++i) {
    const TunableValue* value = find_value(spec_->tunables[i], config.values[i]);
    if (value != nullptr) result = result | value->numerics;
  }
  return result;
}

std::string Instance::prelude(const Config& config) const {
  if (!spec_->defines) return {};
  std::string text;
  // Headers of all types that may be asked for come first: a macro such as T would break them if they came
  // later.
  std::set<std::string_view> headers;
  for (const TypeParameter& parameter : spec_->type_parameters) {
    for (const std::string& name : parameter.allowed) headers.insert(find_element_type(name)->header);
  }
  headers.erase("");
  for (std::string_view header : headers) text += fmt::format("#include <{}>\n", header);
  for (const auto& [name, type] : problem_.types) text += fmt::format("#define {} {}\n", name, type);
  for (std::size_t i = 0; i < std::min(config.values.size(), spec_->tunables.size()); ++i) {
    const std::string& name = spec_->tunables[i].name;
    const Value value = config.values[i];
    text += fmt::format("#define {} {}\n", name, value.text());
    // The preprocessor cannot compare words, so each choice also gets a macro of its own.
    if (value.kind() == Value::Kind::word) text += fmt::format("#define {}_IS_{} 1\n", name, value.text());
  }
  return text + fmt::format("#line 1 \"{}\"\n", spec_->source_path.filename().string());
}

std::vector<CheckInput> Instance::check_inputs(const Config& config) const {
  const Scope scope = bind(*spec_, fixed_->scope, config);
  std::vector<CheckInput> result;
  for (const CheckInput& input : spec_->check.inputs) {
    if (!input.when || boolean_of(*spec_, input.when, scope)) result.push_back(input);
  }
  return result;
}

std::vector<VariantSpec> Instance::variants() const {
  std::vector<VariantSpec> result;
  for (const VariantSpec& variant : spec_->variants) {
    if (!variant.when || boolean_of(*spec_, variant.when, fixed_->scope)) result.push_back(variant);
  }
  return result;
}

std::optional<std::int64_t> Instance::cost_bytes() const {
  if (!spec_->cost_bytes) return std::nullopt;
  return integer_of(*spec_, spec_->cost_bytes, fixed_->scope);
}

std::optional<std::int64_t> Instance::cost_flops() const {
  if (!spec_->cost_flops) return std::nullopt;
  return integer_of(*spec_, spec_->cost_flops, fixed_->scope);
}

}  // namespace warptune::spec
