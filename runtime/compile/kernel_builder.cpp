#include <warptune/runtime/kernel_builder.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

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

// Indices of entries, compiled as one program.
using Batch = std::vector<std::size_t>;

// Compiles batches on threads; a batch that fails is halved until the culprit stands alone with its own log.
class BatchRun {
 public:
  using Compile = std::function<std::vector<CompileResult>(const Batch&)>;         // any thread
  using Finished = std::function<void(const Batch&, std::vector<CompileResult>)>;  // one call at a time

  BatchRun(std::deque<Batch> batches, Compile compile, Finished finished)
      : queue_(std::move(batches)), compile_(std::move(compile)), finished_(std::move(finished)) {}

  // Returns when all batches are done. Rethrows what a compiler, or the caller's progress function, threw.
  void run(int threads) {
    const std::size_t workers = std::min<std::size_t>(static_cast<std::size_t>(threads), queue_.size());
    {
      std::vector<std::jthread> pool;
      for (std::size_t i = 1; i < workers; ++i) pool.emplace_back([this] { work(); });
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !queue_.empty() || busy_ == 0 || failure_; });
      if (queue_.empty() || failure_) return;
      const Batch batch = std::move(queue_.front());
      queue_.pop_front();
      ++busy_;
      lock.unlock();
      std::vector<CompileResult> results;
      std::exception_ptr thrown;
      try {
        results = compile_(batch);
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      --busy_;
      try {
        if (!thrown) settle(batch, std::move(results));
      } catch (...) {  // the caller's progress function
        thrown = std::current_exception();
      }
      if (thrown && !failure_) failure_ = thrown;
      changed_.notify_all();
    }
  }

  void settle(const Batch& batch, std::vector<CompileResult> results) {
    const bool failed =
        std::any_of(results.begin(), results.end(), [](const CompileResult& r) { return !r.kernel; });
    if (!failed || batch.size() == 1 || results.front().source_fails) {
      finished_(batch, std::move(results));
      return;
    }
    if (results.front().fault != CompileFault::source) {
      // A limit that was reached costs as much each time: the culprit is met once more, and not once per halving.
      for (const std::size_t index : batch) queue_.push_back({index});
      return;
    }
    const auto middle = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() / 2);
    queue_.emplace_back(batch.begin(), middle);
    queue_.emplace_back(middle, batch.end());
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> queue_;
  int busy_ = 0;
  std::exception_ptr failure_;
  Compile compile_;
  Finished finished_;
};

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
