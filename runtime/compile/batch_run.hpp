// Batches of entries compiled on threads; a batch that fails is taken apart until each culprit stands alone with its own log.
// For one thread; its functions are called as they say.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <warptune/runtime/compiler.hpp>

namespace warptune::runtime {

// Indices of entries, compiled as one program.
using Batch = std::vector<std::size_t>;

// An error in code that all entries share would otherwise be met about twice for each of them. So the first batch that fails
// with an error is taken apart while others that fail with it wait. Where every entry of it fails so alone, three entries of
// each of the others are compiled alone: its first, middle and last; when they fail so too, the rest of that batch is
// not compiled, and the results say so. As soon as one entry of such a batch compiles, or fails otherwise, all are taken apart.
class BatchRun {
 public:
  using Compile = std::function<std::vector<CompileResult>(const Batch&)>;         // any thread
  using Finished = std::function<void(const Batch&, std::vector<CompileResult>)>;  // one call at a time

  BatchRun(std::deque<Batch> batches, Compile compile, Finished finished);

  // Returns when all batches are done. Rethrows what a compiler, or the caller's function, threw.
  void run(int threads);

 private:
  // Entries of a batch whose fate hangs on those of its entries that are compiled alone.
  struct Rest {
    Batch batch;
    std::vector<CompileResult> results;  // what the program of the whole batch said of them
    int undecided = 0;                   // entries still to be compiled alone
    bool same_error = true;
  };
  struct Job {
    Batch batch;
    std::string
        cause;  // the error with which the batch that it is part of has failed; empty: it is a whole one
    bool investigated = false;  // part of the batch that is to tell whether the error is common
    std::shared_ptr<Rest> rest;
  };
  struct Family {
    enum class State { unknown, investigated, common, mixed } state = State::unknown;
    std::size_t undecided = 0;  // entries of the batch that is investigated
    std::vector<std::pair<Job, std::vector<CompileResult>>> waiting;
  };

  void work();
  // Precondition of the following: the lock is held.
  void settle(const Job& job, std::vector<CompileResult> results);
  void take_apart_whole(const Job& job, const std::string& error, std::vector<CompileResult> results);
  void halve(const Job& job, const std::string& cause, bool investigated);
  void try_three(const Job& job, const std::string& error, std::vector<CompileResult> results);
  // What a part of a failed batch has shown of the batch's error.
  void learn(const Job& job, bool same_error);
  void end_investigation(const std::string& error, Family::State state);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> queue_;
  std::map<std::string, Family> families_;  // by error
  int busy_ = 0;
  std::exception_ptr failure_;
  Compile compile_;
  Finished finished_;
};

}  // namespace warptune::runtime
