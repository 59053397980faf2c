#include "tuner/cli/worker_options.hpp"

#include <optional>

#include <warptune/base/error.hpp>
#include <warptune/runtime/kernel_builder.hpp>

#include "tuner/worker/gpu_lock.hpp"

namespace warptune::tuner {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

WorkerOptions session_options(int ordinal, const EvaluatorSettings& settings, const WorkerSettings& workers) {
  WorkerOptions options;
  options.ordinal = ordinal;
  options.compile_workers = workers.compile_workers;
  options.limits = workers.limits;
  if (settings.disk_cache) options.cache_folder = runtime::default_cache_folder();
  options.policy = settings.policy;
  options.seed = settings.seed;
  options.early_stop = settings.early_stop;
  options.stop = settings.stop;
  return options;
}

class WorkerSource final : public EvaluatorSource {
 public:
  WorkerSource(int ordinal, const EvaluatorSettings& settings, const WorkerSettings& workers,
               const Context& context)
      : session_(session_options(ordinal, settings, workers)), operands_(settings.operands) {
    const runtime::DeviceInfo& device = session_.device();
    lock_ = GpuLock::try_acquire(device.bus_id);
    if (lock_) return;
    if (workers.shared == WorkerSettings::Shared::share) {
      shared_ = true;
      return;
    }
    if (workers.shared == WorkerSettings::Shared::refuse)
      throw Error(ErrorKind::no_device, "another warptune tunes on " + device.label,
                  "wait for it, or add --share, which marks what is measured");
    context.err << "warptune: another warptune tunes on " + device.label +
                       "; waiting for it (--share goes on at once, --no-wait ends)\n"
                << std::flush;
    lock_ = GpuLock::wait(device.bus_id, [&] { return settings.stop != nullptr && settings.stop->load(); });
    if (!lock_) throw Interrupted();
  }

  std::unique_ptr<Evaluator> open(const spec::TemplatePtr& spec, const spec::Problem& problem) override {
    return session_.open(spec, problem, operands_);
  }
  std::optional<runtime::DeviceInfo> device() const override { return session_.device(); }
  bool shares_gpu() const override { return shared_; }

 private:
  WorkerSession session_;
  HostOperands operands_;
  std::optional<GpuLock> lock_;
  bool shared_ = false;
};

}  // namespace

std::vector<OptionSpec> worker_options() {
  using Kind = OptionSpec::Kind;
  return {
      {"compile-workers", Kind::value, "N", "processes that compile (default one per core)"},
      {"compile-limit", Kind::value, "S", "seconds that compiling one program may take (default 60)"},
      {"compile-memory", Kind::value, "MIB", "memory of one compiling process (default 4096)"},
      {"launch-limit", Kind::value, "S", "seconds that the GPU may take for one verification (default 10)"},
      {"candidate-limit", Kind::value, "S", "seconds to load, verify and screen a config (default 60)"},
      {"share", Kind::flag, "", "measure beside another tuner of the GPU; nothing is certified then"},
      {"no-wait", Kind::flag, "", "end with an error when another tuner has the GPU"},
  };
}

WorkerSettings worker_settings(const Arguments& arguments) {
  WorkerSettings settings;
  WorkerLimits& limits = settings.limits;
  settings.compile_workers =
      static_cast<int>(std::min<std::int64_t>(arguments.count("compile-workers").value_or(0), 1024));
  limits.compile_s = arguments.seconds("compile-limit").value_or(limits.compile_s);
  limits.launch_s = arguments.seconds("launch-limit").value_or(limits.launch_s);
  limits.candidate_s = arguments.seconds("candidate-limit").value_or(limits.candidate_s);
  if (const auto memory_mib = arguments.count("compile-memory"))
    limits.compile_memory_bytes = std::min(*memory_mib, std::int64_t{1} << 30) * mib;
  if (arguments.has("share") && arguments.has("no-wait"))
    throw Error(ErrorKind::usage, "--share and --no-wait exclude each other", "leave one of them out");
  if (arguments.has("share")) settings.shared = WorkerSettings::Shared::share;
  if (arguments.has("no-wait")) settings.shared = WorkerSettings::Shared::refuse;
  return settings;
}

std::unique_ptr<EvaluatorSource> open_worker_source(int ordinal, const EvaluatorSettings& settings,
                                                    const WorkerSettings& workers, const Context& context) {
  return std::make_unique<WorkerSource>(ordinal, settings, workers, context);
}

}  // namespace warptune::tuner
