// Kernels of candidates that come later, compiled on threads of their own while earlier ones are measured. The thread that
// owns it calls; results are in the BuiltKernels.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_set>
#include <vector>

#include "tuner/evaluate/built_kernels.hpp"

namespace warptune::tuner {

class CompileAhead {
 public:
  // `cancel`: called once at the end, to make builds in progress throw. `built` must outlive this object.
  CompileAhead(BuiltKernels& built, std::function<void()> cancel);
  // Ends the threads; what is not compiled yet is not compiled.
  ~CompileAhead();
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;

  // Compiled as one group, after the groups before.
  void add(std::span<const spec::Config> configs);
  // Returns when the config is compiled, or was not among those added. Rethrows what a build threw.
  void wait_for(const spec::Config& config);
  // The same for all that were added.
  void wait();

 private:
  using Group = std::vector<spec::Config>;
  void work();

  BuiltKernels& built_;
  std::function<void()> cancel_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Group> groups_;
  std::unordered_multiset<spec::Config, spec::ConfigHash> unfinished_;
  std::exception_ptr failure_;
  bool ended_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace warptune::tuner
