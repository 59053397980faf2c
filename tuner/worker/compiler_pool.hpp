// A compiler whose programs are compiled by worker processes, as many at once as there are workers. NVRTC's front end runs
// under a lock of its process, so that threads of one process share about three cores. Thread-safe.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <warptune/runtime/compiler.hpp>

#include "tuner/worker/process.hpp"

namespace warptune::tuner {

using Stopped = std::function<bool()>;  // asked from any thread; true: give up, and throw Interrupted

struct CompilerPoolOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  int workers = 1;
  double program_s = 0;  // time limit of one program; 0: none
  Stopped stopped;
};

class CompilerPool final : public runtime::Compiler {
 public:
  // Starts one worker; the others start when they are needed. Errors: not_found, and what its compiler says (no_device).
  explicit CompilerPool(CompilerPoolOptions options);
  ~CompilerPool() override;

  // A program on which a worker dies, or takes too long, fails as a whole with that fault, and the worker is replaced; a
  // worker that was killed from outside is replaced and the program tried once more. So is a program that exceeds the memory of a
  // process that has compiled others, whose memory it may have kept: in a new one. Errors: those of the worker's compiler.
  std::vector<runtime::CompileResult> compile(const runtime::CompileRequest& request) override {
    return compile(request, options_.stopped);
  }
  std::vector<runtime::CompileResult> compile(const runtime::CompileRequest& request, const Stopped& stopped);
  std::string identity() const override { return hello_.identity; }
  std::string version() const override { return hello_.version; }
  std::string headers_hash() const override { return hello_.headers_hash; }
  bool supports(const std::string& architecture) const override;

  int workers() const { return options_.workers; }

 private:
  struct Answer {
    Message message;
    std::string failure;  // why there is none, else empty
    runtime::CompileFault fault = runtime::CompileFault::source;
    bool from_outside = false;
    bool in_new_process = false;
  };
  struct Taken {
    std::unique_ptr<WorkerProcess> process;
    bool is_new = false;
  };
  std::unique_ptr<WorkerProcess> start(CompilerHello& hello) const;
  // A free worker, for as long as the caller holds it; a new one while there are fewer than allowed, or, `must_be_new`, in the
  // place of a free one.
  Taken take(const Stopped& stopped, bool must_be_new) const;
  // Null: the worker is gone, and another may be started.
  void put_back(std::unique_ptr<WorkerProcess> worker) const;
  Answer ask(const Message& request, const Stopped& stopped, bool in_new_process = false) const;

  CompilerPoolOptions options_;
  CompilerHello hello_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::vector<std::unique_ptr<WorkerProcess>> idle_;
  mutable int alive_ = 0;
  mutable std::map<std::string, bool>
      supported_;  // by architecture; asked once, as workers may be busy for long
};

// One user of a pool, who can be stopped alone.
class PoolClient final : public runtime::Compiler {
 public:
  PoolClient(std::shared_ptr<CompilerPool> pool, Stopped stopped)
      : pool_(std::move(pool)), stopped_(std::move(stopped)) {}
  std::vector<runtime::CompileResult> compile(const runtime::CompileRequest& request) override {
    return pool_->compile(request, stopped_);
  }
  std::string identity() const override { return pool_->identity(); }
  std::string version() const override { return pool_->version(); }
  std::string headers_hash() const override { return pool_->headers_hash(); }
  bool supports(const std::string& architecture) const override { return pool_->supports(architecture); }

 private:
  std::shared_ptr<CompilerPool> pool_;
  Stopped stopped_;
};

}  // namespace warptune::tuner
