// A worker: a program of its own at the other end of a socket. Spawned, never forked, so that it inherits nothing of this
// process but its environment. One thread at a time.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/worker/channel.hpp"

namespace warptune::tuner {

// The descriptor at which a worker finds its socket.
inline constexpr int worker_socket = 3;
// With which a compile worker ends that needed more memory than it may.
inline constexpr int exit_out_of_memory = 90;

// How a process ended.
struct Death {
  std::optional<int> signal;
  int exit_code = 0;
  bool by_tuner = false;  // killed by WorkerProcess itself
  // Killed by a signal that nobody sends to oneself: an operator, or the kernel when memory runs out.
  bool from_outside() const;
  std::string text() const;  // "was killed by signal 11 (Segmentation fault)", "ended with exit code 3"
};

class WorkerProcess {
 public:
  // Its standard output and error go where last_words() finds them. Error not_found: the program cannot be started.
  WorkerProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments);
  // Closes the socket, whereupon the worker ends by itself; kills one that does not within seconds.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  Channel& channel() { return channel_; }
  pid_t pid() const { return pid_; }
  // Asks it to end, and does not wait.
  void close() noexcept { channel_.close(); }
  // Waits for the end of a worker whose socket is closed; kills one that does not end by itself in a moment.
  Death reap() noexcept;
  // Ends it now.
  Death kill() noexcept;
  // The first line that it wrote since this was last called; empty: it wrote nothing.
  std::string last_words();

 private:
  struct Spawned {
    pid_t pid;
    int socket, words;
  };
  explicit WorkerProcess(const Spawned& spawned);
  static Spawned spawn(const std::filesystem::path& program, const std::vector<std::string>& arguments);

  pid_t pid_;
  Channel channel_;
  int words_;  // reading end of a pipe
  std::optional<Death> death_;
};

// The worker's program: $WARPTUNE_WORKER where set, else `warptune-worker` beside the running program, else on PATH.
// Error not_found.
std::filesystem::path find_worker_program();

}  // namespace warptune::tuner
