#include "tuner/bench/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <warptune/base/error.hpp>

extern "C" char** environ;

namespace warptune::tuner {
namespace {

// How long a child may take to end by itself.
constexpr int patience_ms = 10'000;

struct Ends {
  int ours = -1, theirs = -1;
};

// Neither end outlives an exec: the child gets duplicates.
Ends make_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(ErrorKind::io, std::string("no socket pair: ") + std::strerror(errno), "", errno);
  return {ends[0], ends[1]};
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words) : name_(words.at(0)) {
  const Ends ends = make_pair();
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends.theirs, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends.theirs, STDOUT_FILENO);
  const int error = ::posix_spawnp(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends.theirs);
  socket_ = ends.ours;
  if (error != 0) {
    ::close(ends.ours);
    throw Error(ErrorKind::not_found, "cannot start '" + name_ + "': " + std::strerror(error),
                "name a program that exists", error);
  }
}

ChildProcess::~ChildProcess() {
  ::shutdown(socket_, SHUT_RDWR);
  ::close(socket_);
  int status = 0;
  for (int waited_ms = 0; waited_ms < patience_ms; waited_ms += 10) {
    if (::waitpid(pid_, &status, WNOHANG) != 0) return;
    ::usleep(10'000);
  }
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

void ChildProcess::send(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t count = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(ErrorKind::io, "'" + name_ + "' has ended", "see its messages above", errno);
    sent += static_cast<std::size_t>(count);
  }
}

std::string ChildProcess::receive(double timeout_s) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_s);
  while (true) {
    const std::size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0)
      throw Error(ErrorKind::io, "'" + name_ + "' gave no answer in " + std::to_string(timeout_s) + " s", "");
    std::array<char, 4096> bytes;
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(ErrorKind::io, "'" + name_ + "' has ended", "see its messages above");
    pending_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace warptune::tuner
