#include <warptune/tuner/worker_session.hpp>

#include <unistd.h>

#include <algorithm>
#include <future>
#include <optional>
#include <system_error>
#include <thread>

#include <warptune/base/temporary_folder.hpp>

#include "tuner/worker/compiler_pool.hpp"
#include "tuner/worker/worker_evaluator.hpp"

namespace warptune::tuner {
namespace {

namespace fs = std::filesystem;

bool is_writable(const fs::path& folder) {
  if (folder.empty()) return false;
  std::error_code code;
  fs::create_directories(folder, code);
  return !code && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

WorkerOptions completed(WorkerOptions options) {
  if (options.program.empty()) options.program = find_worker_program();
  if (options.compile_workers <= 0)
    options.compile_workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return options;
}

}  // namespace

struct WorkerSession::Impl {
  explicit Impl(WorkerOptions the_options)
      : options(completed(std::move(the_options))),
        pool(std::async(std::launch::async, [this] { return start_compilers(); }).share()),
        worker({options.program, {"measure", std::to_string(options.ordinal)}, stopped()}) {
    // Kernels reach the measuring worker through a folder, so there must be one that can be written.
    if (!is_writable(options.cache_folder)) temporary.emplace();
  }

  std::function<bool()> stopped() const {
    return [stop = options.stop] { return stop != nullptr && stop->load(); };
  }
  std::string cache_folder() const {
    return temporary ? temporary->path().string() : options.cache_folder.string();
  }

  std::shared_ptr<CompilerPool> start_compilers() const {
    const std::string memory = std::to_string(options.limits.compile_memory_bytes);
    return std::make_shared<CompilerPool>(CompilerPoolOptions{
        options.program, {"compile", memory}, options.compile_workers, options.limits.compile_s, stopped()});
  }

  WorkerOptions options;
  std::optional<TemporaryFolder> temporary;
  // Made while the measuring worker makes its context. What it throws waits for those who compile.
  std::shared_future<std::shared_ptr<CompilerPool>> pool;
  MeasuringWorker worker;
  const Evaluator* opened_by = nullptr;
  std::optional<Ceilings> ceilings;
};

WorkerSession::WorkerSession(WorkerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

WorkerSession::~WorkerSession() = default;

const runtime::DeviceInfo& WorkerSession::device() const { return impl_->worker.device(); }

std::unique_ptr<Evaluator> WorkerSession::open(const spec::TemplatePtr& spec, const spec::Problem& problem,
                                               const HostOperands& operands) {
  const spec::Instance instance(spec, problem, device().traits);
  const std::shared_ptr<CompilerPool>& pool = impl_->pool.get();
  runtime::require_support(*pool, device().architecture());
  return make_worker_evaluator({impl_->worker, pool, impl_->options, impl_->cache_folder(), impl_->stopped(),
                                impl_->opened_by, impl_->ceilings},
                               instance, operands);
}

}  // namespace warptune::tuner
