#include "tuner/evaluate/built_kernels.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace warptune::tuner {
namespace {

OutcomeStatus status_of(runtime::CompileFault fault) {
  switch (fault) {
    case runtime::CompileFault::source:
      break;
    case runtime::CompileFault::timed_out:
      return OutcomeStatus::timed_out;
    case runtime::CompileFault::out_of_memory:
      return OutcomeStatus::resource_limit;
    case runtime::CompileFault::crashed:
      return OutcomeStatus::crashed;
  }
  return OutcomeStatus::compile_error;
}

spec::KernelTraits largest(const std::vector<const runtime::CompileResult*>& results) {
  spec::KernelTraits most;
  for (const runtime::CompileResult* result : results)
    if (result->kernel && result->kernel->traits.registers >= most.registers) most = result->kernel->traits;
  return most;
}

}  // namespace

BuiltKernels::BuiltKernels(runtime::KernelBuilder& builder, const spec::Instance& instance,
                           std::string architecture)
    : builder_(builder), instance_(instance), architecture_(std::move(architecture)) {}

const runtime::CompileResult* BuiltKernels::find_locked(const std::string& prelude,
                                                        const std::string& entry) const {
  const auto program = built_.find(prelude);
  if (program == built_.end()) return nullptr;
  const auto found = program->second.find(entry);
  return found == program->second.end() ? nullptr : &found->second;
}

const runtime::CompileResult* BuiltKernels::find(const std::string& prelude, const std::string& entry) const {
  const std::lock_guard lock(mutex_);
  return find_locked(prelude, entry);
}

std::map<std::string, runtime::CompileRequest> BuiltKernels::missing(
    std::span<const spec::Config> configs) const {
  std::map<std::string, runtime::CompileRequest> requests;
  std::set<std::pair<std::string, std::string>> asked;
  const std::lock_guard lock(mutex_);
  for (const spec::Config& config : configs) {
    const std::string prelude = instance_.prelude(config);
    for (const std::string& entry : instance_.entries(config)) {
      if (find_locked(prelude, entry) != nullptr || !asked.emplace(prelude, entry).second) continue;
      const auto [request, is_new] = requests.try_emplace(prelude);
      if (is_new) {
        request->second = runtime::compile_request(instance_, config, architecture_);
        request->second.entries.clear();
      }
      request->second.entries.push_back(entry);
    }
  }
  return requests;
}

void BuiltKernels::build(std::span<const spec::Config> configs,
                         const std::function<void(std::size_t, std::size_t)>& progress) {
  const std::map<std::string, runtime::CompileRequest> requests = missing(configs);
  std::size_t finished = 0, total = 0;
  for (const auto& [prelude, request] : requests) total += request.entries.size();
  for (const auto& [prelude, request] : requests) {
    const auto report = [&](std::size_t done) {
      if (progress) progress(finished + done, total);
    };
    std::vector<runtime::CompileResult> results = builder_.build(request, report);
    finished += request.entries.size();
    const std::lock_guard lock(mutex_);
    for (runtime::CompileResult& result : results) {
      const std::string entry = result.entry;
      built_[prelude].try_emplace(entry, std::move(result));
    }
  }
}

bool BuiltKernels::is_built(const spec::Config& config) const {
  const std::string prelude = instance_.prelude(config);
  const std::vector<std::string> entries = instance_.entries(config);
  const std::lock_guard lock(mutex_);
  return std::all_of(entries.begin(), entries.end(),
                     [&](const std::string& entry) { return find_locked(prelude, entry) != nullptr; });
}

std::vector<const runtime::CompileResult*> BuiltKernels::results(const spec::Config& config) const {
  const std::string prelude = instance_.prelude(config);
  const std::vector<std::string> entries = instance_.entries(config);
  std::vector<const runtime::CompileResult*> found;
  const std::lock_guard lock(mutex_);
  for (const std::string& entry : entries)
    if (const runtime::CompileResult* result = find_locked(prelude, entry)) found.push_back(result);
  return found;
}

spec::TraitsLookup BuiltKernels::traits(const spec::Config& config) const {
  return [this, prelude = instance_.prelude(config)](
             const std::string& entry) -> std::optional<spec::KernelTraits> {
    const runtime::CompileResult* result = find(prelude, entry);
    if (result == nullptr || !result->kernel) return std::nullopt;
    return result->kernel->traits;
  };
}

Outcome BuiltKernels::judge(const spec::Config& config) {
  Outcome outcome;
  outcome.config = config;
  outcome.alignment_bytes = static_cast<int>(instance_.alignment_class(config));
  const auto end = [&outcome](OutcomeStatus status, std::string reason) {
    outcome.status = status;
    outcome.reason = std::move(reason);
    return outcome;
  };
  const auto exclude = [&end](const spec::Exclusion& exclusion) {
    if (!exclusion.device_limit) return end(OutcomeStatus::excluded, exclusion.why);
    return end(OutcomeStatus::resource_limit, exclusion.constraint + ": " + exclusion.why);
  };
  if (const auto exclusion = instance_.excluded(config)) return exclude(*exclusion);
  build({&config, 1});
  const std::vector<const runtime::CompileResult*> built = results(config);
  for (const runtime::CompileResult* result : built)
    if (!result->kernel) return end(status_of(result->fault), result->error);
  outcome.traits = largest(built);
  if (const auto exclusion = instance_.excluded_late(config, traits(config))) return exclude(*exclusion);
  return outcome;
}

}  // namespace warptune::tuner
