// How a worker is started: spawned, and heard to say what it is. Thread-safe.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tuner/worker/process.hpp"

namespace warptune::tuner {

struct WorkerStart {
  std::unique_ptr<WorkerProcess> process;
  Message hello;
};

// A worker that is killed from outside before it has said anything is started once more. Errors: not_found (no such program);
// io (it ends, says nothing for `most_s` seconds, or something that is no message); what it says is wrong on this
// machine. Throws Interrupted when `stopped` says so.
WorkerStart start_worker(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                         double most_s, const std::function<bool()>& stopped);

}  // namespace warptune::tuner
