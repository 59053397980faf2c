#include <warptune/runtime/problem_key.hpp>

#include <map>
#include <utility>
#include <variant>

namespace warptune::runtime {

db::DeviceKey device_key(const spec::DeviceTraits& traits) {
  db::DeviceKey key;
  key.model = traits.model;
  key.compute_capability = traits.compute_capability;
  key.sm_count = traits.sm_count;
  key.l2_bytes = traits.l2_bytes;
  key.memory_gib = static_cast<int>(traits.limit("memory_gib").value_or(0));
  return key;
}

db::ProblemKey problem_key(const spec::Instance& instance, const std::string& policy) {
  const spec::TemplateSpec& spec = instance.spec();
  const spec::Problem& problem = instance.problem();
  db::ProblemKey key;
  key.kernel = spec.name;
  key.template_hash = spec.hash;
  key.types.insert(problem.types.begin(), problem.types.end());
  for (const spec::DimSpec& dim : spec.dims) {
    (dim.key ? key.key_dims : key.free_dims).emplace(dim.name, problem.dims.find(dim.name)->second);
  }
  key.attributes.insert(problem.attributes.begin(), problem.attributes.end());
  key.numerics = problem.allowed.key();
  key.device = device_key(instance.device());
  key.policy = policy;
  return key;
}

spec::Instance instance_of(const db::ProblemKey& key, const spec::TemplatePtr& spec,
                           const spec::DeviceTraits& device) {
  spec::Problem problem;
  problem.types.insert(key.types.begin(), key.types.end());
  problem.dims.insert(key.key_dims.begin(), key.key_dims.end());
  problem.dims.insert(key.free_dims.begin(), key.free_dims.end());
  problem.attributes.insert(key.attributes.begin(), key.attributes.end());
  problem.allowed = spec::Numerics::parse(key.numerics);
  return spec::Instance(spec, std::move(problem), device);
}

db::NamedValues stored_config(const spec::TemplateSpec& spec, const spec::Config& config) {
  db::NamedValues stored;
  for (const auto& [name, value] : spec::to_named(spec, config)) {
    if (value.kind() == spec::Value::Kind::integer) {
      stored.emplace(name, value.as_integer());
    } else {
      stored.emplace(name, value.text());
    }
  }
  return stored;
}

spec::Config read_config(const spec::TemplateSpec& spec, const db::NamedValues& stored) {
  std::map<std::string, spec::Value> named;
  for (const auto& [name, value] : stored) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    named.emplace(name, integer != nullptr ? spec::Value::integer(*integer)
                                           : spec::Value::word(std::get<std::string>(value)));
  }
  return spec::from_named(spec, named);
}

}  // namespace warptune::runtime
