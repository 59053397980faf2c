#include "tuner/bundle/kernels.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "tuner/evaluate/recorded_evaluator.hpp"

namespace warptune::tuner {
namespace {

// Compute capabilities that compilers of CUDA 12 and 13 know.
constexpr std::array known_capabilities{50, 52, 53, 60, 61, 62,  70,  72,  75,  80,
                                        86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

class JobList {
 public:
  void add(const spec::Instance& instance, const spec::Config& config, const std::string& architecture) {
    const runtime::CompileRequest whole = runtime::compile_request(instance, config, architecture);
    for (const std::string& entry : whole.entries) {
      KernelJob job{whole, instance.spec().hash, instance.prelude(config), architecture.empty()};
      if (!seen_.insert({job.template_hash, entry, architecture, job.prelude}).second) continue;
      job.request.entries = {entry};
      jobs.push_back(std::move(job));
    }
  }
  std::vector<KernelJob> jobs;

 private:
  std::set<db::BundledKernelKey> seen_;
};

std::string architecture_of(const db::DeviceKey& device) {
  return fmt::format("sm_{}", device.compute_capability);
}

using Words = std::map<std::string, std::string, std::less<>>;

// Every combination of one word per name.
std::vector<Words> combinations(
    const std::vector<std::pair<std::string, std::vector<std::string>>>& choices) {
  std::vector<Words> all{{}};
  for (const auto& [name, words] : choices) {
    std::vector<Words> longer;
    for (const Words& each : all)
      for (const std::string& word : words) longer.push_back(each), longer.back()[name] = word;
    all = std::move(longer);
  }
  return all;
}

std::vector<Words> allowed_types(const spec::TemplateSpec& spec, const BundleContent& content,
                                 bool tuned_only) {
  std::vector<std::pair<std::string, std::vector<std::string>>> choices;
  for (const spec::TypeParameter& parameter : spec.type_parameters)
    choices.emplace_back(parameter.name, parameter.allowed);
  if (!tuned_only) return combinations(choices);
  std::set<Words> tuned;
  for (const BundleGroup& group : content.groups) {
    const auto& types = group.key().types;
    if (group.spec->name == spec.name) tuned.insert(Words(types.begin(), types.end()));
  }
  return {tuned.begin(), tuned.end()};
}

void add_defaults(const spec::TemplatePtr& spec, const std::vector<Words>& all_types,
                  const std::set<std::string>& architectures, JobList& list) {
  std::vector<std::pair<std::string, std::vector<std::string>>> attributes;
  for (const spec::AttributeSpec& attribute : spec->attributes)
    attributes.emplace_back(attribute.name, attribute.allowed);
  const std::vector<Words> all_attributes = combinations(attributes);
  spec::DeviceTraits any_device;
  any_device.compute_capability = 90;
  any_device.sm_count = 1;
  for (const Words& types : all_types) {
    for (const Words& words : all_attributes) {
      spec::Problem problem;
      problem.types = types;
      problem.attributes = words;
      for (const spec::DimSpec& dim : spec->dims) problem.dims.emplace(dim.name, 1);
      const spec::Instance instance(spec, std::move(problem), any_device);
      for (const std::string& architecture : architectures)
        list.add(instance, spec->default_config, architecture);
      list.add(instance, spec->default_config, {});
    }
  }
}

db::BundledKernel bundled(const KernelJob& job, const std::string& architecture,
                          const runtime::CompiledKernel& kernel) {
  return {{job.template_hash, kernel.entry, architecture, job.prelude},
          kernel.lowered_name,
          kernel.traits.registers,
          kernel.traits.local_bytes,
          kernel.traits.static_shared_bytes,
          kernel.traits.max_threads_per_block,
          {},
          *kernel.image};
}

db::BundledKernel compile_one(const KernelJob& job, runtime::Compiler& compiler) {
  std::vector<std::string> architectures{job.request.architecture};
  if (job.as_ptx) {
    architectures.clear();
    for (const int capability : known_capabilities) {
      std::string architecture = fmt::format("compute_{}", capability);
      if (compiler.supports(architecture)) architectures.push_back(std::move(architecture));
    }
    if (architectures.empty())
      throw Error(ErrorKind::unsupported, "the compiler knows no architecture that warptune knows",
                  "update warptune");
  }
  std::string first_error;
  for (const std::string& architecture : architectures) {
    runtime::CompileRequest request = job.request;
    request.architecture = architecture;
    const runtime::CompileResult result = compiler.compile(request).front();
    if (result.kernel != nullptr) return bundled(job, architecture, *result.kernel);
    if (first_error.empty()) first_error = result.error;
  }
  throw Error(ErrorKind::compile,
              fmt::format("{} does not compile for {}: {}", job.request.entries.front(),
                          architectures.front(), first_error),
              "bundle with the toolkit that it was tuned with, or tune it again");
}

}  // namespace

std::vector<KernelJob> kernel_jobs(const BundleContent& content, const JobOptions& options) {
  JobList list;
  std::set<std::string> architectures(options.architectures.begin(), options.architectures.end());
  for (const BundleGroup& group : content.groups) {
    const db::DeviceKey& device = group.key().device;
    architectures.insert(architecture_of(device));
    const spec::DeviceTraits traits = traits_of(device);
    const auto add = [&](const db::ProblemKey& problem, const db::NamedValues& config) {
      list.add(runtime::instance_of(problem, group.spec, traits), runtime::read_config(*group.spec, config),
               architecture_of(device));
    };
    for (const db::StoredWinner& winner : group.winners) add(winner.problem, winner.winner.config);
    for (const db::CoverRow& row : group.cover.rows) add(row.problem, row.config);
  }
  for (const spec::TemplatePtr& spec : content.templates)
    add_defaults(spec, allowed_types(*spec, content, options.tuned_types_only), architectures, list);
  return std::move(list.jobs);
}

std::vector<db::BundledKernel> compile_jobs(const std::vector<KernelJob>& jobs, runtime::Compiler& compiler,
                                            const std::function<void(std::size_t done)>& progress) {
  for (const KernelJob& job : jobs)
    if (!job.as_ptx) runtime::require_support(compiler, job.request.architecture);

  std::vector<db::BundledKernel> kernels(jobs.size());
  std::mutex mutex;
  std::size_t next = 0, done = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    for (;;) {
      std::size_t mine = 0;
      {
        const std::scoped_lock lock(mutex);
        if (next == jobs.size() || failure) return;
        mine = next++;
      }
      try {
        kernels[mine] = compile_one(jobs[mine], compiler);
        const std::scoped_lock lock(mutex);
        progress(++done);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  {
    // Beyond three threads NVRTC's front end, which holds a lock of the process, gives no more.
    const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 4);
    std::vector<std::jthread> pool;
    for (std::size_t i = 1; i < std::min(threads, jobs.size()); ++i) pool.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return kernels;
}

}  // namespace warptune::tuner
