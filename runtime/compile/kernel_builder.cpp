#include <warptune/runtime/kernel_builder.hpp>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "runtime/compile/batch_run.hpp"
#include "runtime/compile/binary_cache.hpp"

namespace warptune::runtime {

struct KernelBuilder::Impl {
  Impl(std::shared_ptr<Compiler> the_compiler, BuilderOptions the_options)
      : compiler(std::move(the_compiler)), options(std::move(the_options)), cache(options.cache_folder) {}

  std::shared_ptr<Compiler> compiler;
  BuilderOptions options;
  BinaryCache cache;
  mutable std::mutex mutex;
  BuildCounts counts;

  int threads() const {
    if (options.threads > 0) return options.threads;
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }
};

namespace {

std::deque<Batch> split(const std::vector<std::size_t>& pending, int threads, int largest) {
  const auto workers = static_cast<std::size_t>(threads);
  const std::size_t size = std::clamp<std::size_t>((pending.size() + workers - 1) / workers, 1,
                                                   static_cast<std::size_t>(std::max(1, largest)));
  std::deque<Batch> batches;
  for (std::size_t start = 0; start < pending.size(); start += size) {
    const std::size_t end = std::min(pending.size(), start + size);
    batches.emplace_back(pending.begin() + static_cast<std::ptrdiff_t>(start),
                         pending.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return batches;
}

}  // namespace

KernelBuilder::KernelBuilder(std::shared_ptr<Compiler> compiler, BuilderOptions options)
    : impl_(std::make_unique<Impl>(std::move(compiler), std::move(options))) {}

KernelBuilder::~KernelBuilder() = default;

std::vector<CompileResult> KernelBuilder::build(const CompileRequest& request,
                                                const std::function<void(std::size_t)>& progress) {
  std::vector<std::string> entries;  // each once, in order of first mention
  std::map<std::string, std::size_t> position;
  for (const std::string& entry : request.entries) {
    if (position.emplace(entry, entries.size()).second) entries.push_back(entry);
  }
  const std::string identity = impl_->compiler->identity();
  std::vector<CompileResult> built(entries.size());
  std::vector<std::string> keys(entries.size());
  std::vector<std::size_t> pending;
  std::size_t done = 0;
  BuildCounts counts;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    keys[i] = BinaryCache::key(request, entries[i], identity);
    auto kernel = impl_->cache.load(keys[i], entries[i]);
    if (!kernel) {
      pending.push_back(i);
      continue;
    }
    built[i] = {entries[i], std::move(kernel), {}, {}, true, false};
    ++counts.cached;
    ++done;
  }
  if (progress && done > 0) progress(done);

  const auto compile = [&](const Batch& batch) {
    CompileRequest program = request;
    program.entries.clear();
    std::vector<std::string> batch_keys;
    for (std::size_t index : batch) {
      program.entries.push_back(entries[index]);
      batch_keys.push_back(keys[index]);
    }
    std::vector<CompileResult> results = impl_->compiler->compile(program);
    impl_->cache.store(batch_keys, results);
    return results;
  };
  const auto finished = [&](const Batch& batch, std::vector<CompileResult> results) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      counts.failed += results[i].kernel ? 0 : 1;
      built[batch[i]] = std::move(results[i]);
    }
    counts.compiled += static_cast<std::int64_t>(batch.size());
    done += batch.size();
    if (progress) progress(done);
  };
  BatchRun batches(split(pending, impl_->threads(), impl_->options.batch), compile, finished);
  batches.run(impl_->threads());

  const std::lock_guard lock(impl_->mutex);
  impl_->counts.compiled += counts.compiled;
  impl_->counts.cached += counts.cached;
  impl_->counts.failed += counts.failed;
  std::vector<CompileResult> results;
  for (const std::string& entry : request.entries) results.push_back(built[position.at(entry)]);
  return results;
}

BuildCounts KernelBuilder::counts() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->counts;
}

const Compiler& KernelBuilder::compiler() const { return *impl_->compiler; }

std::filesystem::path default_cache_folder() {
  const auto from = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
  };
  if (auto folder = from("WARPTUNE_CACHE_DIR"); !folder.empty()) return folder;
  if (auto folder = from("XDG_CACHE_HOME"); !folder.empty()) return folder / "warptune";
  if (auto folder = from("HOME"); !folder.empty()) return folder / ".cache" / "warptune";
  return {};
}

CachePruned prune_cache(const std::filesystem::path& folder, std::int64_t unused_s, bool dry_run) {
  return BinaryCache(folder).prune(unused_s, dry_run);
}

}  // namespace warptune::runtime
