#include "tuner/evaluate/candidate_kernels.hpp"

#include <set>

#include <warptune/base/error.hpp>

namespace warptune::tuner {

CandidateKernels::CandidateKernels(runtime::Device& device, runtime::KernelBuilder& builder,
                                   const spec::Instance& instance)
    : device_(device), builder_(builder), instance_(instance), modules_(device) {}

const runtime::CompileResult* CandidateKernels::find(const std::string& prelude,
                                                     const std::string& entry) const {
  const auto program = built_.find(prelude);
  if (program == built_.end()) return nullptr;
  const auto found = program->second.find(entry);
  return found == program->second.end() ? nullptr : &found->second;
}

void CandidateKernels::build(std::span<const spec::Config> configs,
                             const std::function<void(std::size_t, std::size_t)>& progress) {
  std::map<std::string, runtime::CompileRequest> requests;  // by prelude
  std::set<std::pair<std::string, std::string>> asked;
  for (const spec::Config& config : configs) {
    const std::string prelude = instance_.prelude(config);
    for (const std::string& entry : instance_.entries(config)) {
      if (find(prelude, entry) != nullptr || !asked.emplace(prelude, entry).second) continue;
      const auto [request, is_new] = requests.try_emplace(prelude);
      if (is_new) {
        request->second = runtime::compile_request(instance_, config, device_.info().architecture());
        request->second.entries.clear();
      }
      request->second.entries.push_back(entry);
    }
  }
  std::size_t finished = 0;
  for (const auto& [prelude, request] : requests) {
    const auto report = [&](std::size_t done) {
      if (progress) progress(finished + done, asked.size());
    };
    for (runtime::CompileResult& result : builder_.build(request, report)) {
      built_[prelude].insert_or_assign(result.entry, std::move(result));
    }
    finished += request.entries.size();
  }
}

std::vector<const runtime::CompileResult*> CandidateKernels::built(const spec::Config& config) const {
  const std::string prelude = instance_.prelude(config);
  std::vector<const runtime::CompileResult*> results;
  for (const std::string& entry : instance_.entries(config)) {
    if (const runtime::CompileResult* result = find(prelude, entry)) results.push_back(result);
  }
  return results;
}

const runtime::CompileResult* CandidateKernels::failure(const spec::Config& config) const {
  for (const runtime::CompileResult* result : built(config)) {
    if (!result->kernel) return result;
  }
  return nullptr;
}

KernelSet CandidateKernels::kernels(const spec::Config& config) {
  const std::string prelude = instance_.prelude(config);
  KernelSet set;
  set.traits = [this, prelude](const std::string& entry) -> std::optional<spec::KernelTraits> {
    const runtime::CompileResult* result = find(prelude, entry);
    if (result == nullptr || !result->kernel) return std::nullopt;
    return result->kernel->traits;
  };
  set.function = [this, prelude](const std::string& entry) {
    const runtime::CompileResult* result = find(prelude, entry);
    if (result == nullptr || !result->kernel) {
      throw Error(ErrorKind::internal, "kernel " + entry + " was not built before it was needed");
    }
    return modules_.function(*result->kernel);
  };
  return set;
}

spec::KernelTraits CandidateKernels::largest(const spec::Config& config) const {
  spec::KernelTraits largest;
  for (const runtime::CompileResult* result : built(config)) {
    if (result->kernel && result->kernel->traits.registers >= largest.registers)
      largest = result->kernel->traits;
  }
  return largest;
}

void CandidateKernels::retain_only(std::span<const spec::Config> configs) {
  std::set<runtime::Image> kept;
  for (const spec::Config& config : configs) {
    for (const runtime::CompileResult* result : built(config)) {
      if (result->kernel) kept.insert(result->kernel->image);
    }
  }
  modules_.retain_only(kept);
}

}  // namespace warptune::tuner
