// A session whose workers run the test's worker program in a folder of their own.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>

#include <warptune/tuner/worker_session.hpp>

#include "tests/tuner/support/temporary_folder.hpp"
#include "tests/tuner/worker/faulty_template.hpp"

namespace warptune::test {

// `folder`: what the device remembers, and the cache of binaries.
inline tuner::WorkerOptions faulty_options(const std::filesystem::path& folder) {
  tuner::WorkerOptions options;
  options.program = WARPTUNE_TEST_WORKER;
  ::setenv("WARPTUNE_TEST_FOLDER", folder.c_str(), 1);
  options.compile_workers = 2;
  options.cache_folder = folder / "cache";
  options.limits.compile_s = 5;
  options.limits.launch_s = 2;
  options.limits.candidate_s = 20;
  options.limits.compile_memory_bytes = std::int64_t{384} << 20;
  return options;
}

class WorkerFixture : public ::testing::Test {
 protected:
  tuner::WorkerOptions options() const {
    tuner::WorkerOptions options = faulty_options(folder_ / "");
    options.stop = &stop_;
    return options;
  }
  tuner::Evaluator& evaluator() {
    if (!evaluator_) {
      session_ = std::make_unique<tuner::WorkerSession>(options());
      evaluator_ = session_->open(faulty_template(), faulty_problem());
    }
    return *evaluator_;
  }
  tuner::Outcome evaluate(std::string_view kind, std::int64_t variant = 0) {
    return evaluator().evaluate(faulty_config(kind, variant));
  }

  TemporaryFolder folder_;
  std::atomic<bool> stop_ = false;
  std::unique_ptr<tuner::WorkerSession> session_;
  std::unique_ptr<tuner::Evaluator> evaluator_;
};

}  // namespace warptune::test
