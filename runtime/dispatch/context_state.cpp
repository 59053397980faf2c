#include "runtime/dispatch/context_state.hpp"

#include <utility>

#include <fmt/format.h>

#include <warptune/spec/element_type.hpp>

#include "runtime/dispatch/kernel_state.hpp"
#include "runtime/dispatch/runtime_state.hpp"

namespace warptune::runtime {

ContextState::ContextState(RuntimeState& runtime, ContextId id, std::shared_ptr<Device> device,
                           std::shared_ptr<const DeviceRows> rows, ContextState* older)
    : id_(id),
      older_(older),
      runtime_(runtime),
      device_(std::move(device)),
      scratch_(device_),
      rows_(std::move(rows)) {}

ContextState::~ContextState() = default;

void ContextState::require_current(const std::string& what) const {
  const ContextId current = runtime_.contexts().current();
  if (current == id_) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("{} was got for a context of {}, and {} is current on this thread", what,
                  device_.device->info().label, current == no_context ? "none" : "another"),
      "make that context current, or get the kernel again: Runtime::kernel() gives it for the context that "
      "is current");
}

KernelState& ContextState::kernel(std::string_view name, const std::map<std::string, std::string>& types,
                                  const KernelOptions& options) {
  KernelKey key{std::string(name), types, options.attributes, options.allowed.key(), options.policies};
  {
    const std::scoped_lock lock(mutex_);
    const auto found = kernels_.find(key);
    if (found != kernels_.end()) return *found->second;
  }
  const spec::TemplatePtr spec = runtime_.find_template(name);
  spec::Problem problem;
  for (const auto& [parameter, type] : types) {
    const auto known = spec::find_element_type(type);
    problem.types.emplace(parameter, known ? std::string(known->name) : type);
  }
  for (const spec::DimSpec& dim : spec->dims) problem.dims.emplace(dim.name, 1);
  problem.attributes.insert(options.attributes.begin(), options.attributes.end());
  problem.allowed = options.allowed;
  std::vector<db::StoredWinner> rows;
  rows_->winners.visit(spec->name, [&](const db::StoredWinner& winner) { rows.push_back(winner); });
  const RuntimeOptions& runtime_options = runtime_.options();
  Selector selector(spec::Instance(spec, std::move(problem), device_.device->info().traits),
                    SelectionRules{options.policies, runtime_options.nearest_bound_log2,
                                   runtime_options.on_miss != OnMiss::default_config},
                    rows, [this, kernel = spec->name](std::int64_t run) {
                      return rows_->nearby ? rows_->nearby->of_run(kernel, run)
                                           : std::vector<db::NeighbourTime>();
                    });
  for (const std::string& fault : selector.faults())
    runtime_.warn_once("row " + fault,
                       fmt::format("{}: record cannot be used: {}", runtime_.database().string(), fault));
  auto state = std::make_unique<KernelState>(*this, std::string(name), options.policies, selector,
                                             runtime_.cover_selector(selector.instance(), options.policies));
  const std::scoped_lock lock(mutex_);  // where two threads came here at once, the first one's stays
  return *kernels_.emplace(std::move(key), std::move(state)).first->second;
}

}  // namespace warptune::runtime
