#include "tuner/worker/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <warptune/base/text.hpp>

extern "C" char** environ;

namespace warptune::tuner {
namespace {

namespace fs = std::filesystem;

// How long a worker may take to end by itself: the driver puts a context away, waiting for nothing.
constexpr int patience_ms = 5'000;

struct Pair {
  int ours = -1, theirs = -1;
};

// Descriptors beyond those that a worker is given, so that handing over one cannot overwrite another.
int moved_up(int descriptor) {
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
  ::close(descriptor);
  if (moved < 0)
    throw Error(ErrorKind::io, "no file descriptor is left", "raise the limit (ulimit -n)", errno);
  return moved;
}

Pair socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(ErrorKind::io, std::string("no socket pair: ") + std::strerror(errno), {}, errno);
  return {moved_up(ends[0]), moved_up(ends[1])};
}

// Writing never blocks: what does not fit is lost, the first words are kept.
Pair word_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(ErrorKind::io, std::string("no pipe: ") + std::strerror(errno), {}, errno);
  return {moved_up(ends[0]), moved_up(ends[1])};
}

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

Death death_of(int status) {
  Death death;
  if (WIFSIGNALED(status))
    death.signal = WTERMSIG(status);
  else
    death.exit_code = WEXITSTATUS(status);
  return death;
}

}  // namespace

bool Death::from_outside() const {
  return !by_tuner && signal &&
         (*signal == SIGKILL || *signal == SIGTERM || *signal == SIGINT || *signal == SIGHUP);
}

std::string Death::text() const {
  if (!signal) return "ended with exit code " + std::to_string(exit_code);
  const char* name = ::sigdescr_np(*signal);
  return "was killed by signal " + std::to_string(*signal) +
         (name != nullptr ? " (" + std::string(name) + ")" : "");
}

WorkerProcess::Spawned WorkerProcess::spawn(const fs::path& program,
                                            const std::vector<std::string>& arguments) {
  const Pair sockets = socket_pair();
  const Pair words = word_pipe();
  std::vector<std::string> all = {program.string()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& argument : all) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, words.theirs, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, words.theirs, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, sockets.theirs, worker_socket);
  posix_spawn_file_actions_addclosefrom_np(&actions, worker_socket + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all_signals;
  sigemptyset(&none);
  sigfillset(&all_signals);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all_signals);
  // A group of its own: Ctrl-C reaches this process alone, which decides what becomes of its workers.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  ::close(sockets.theirs);
  ::close(words.theirs);
  if (error != 0) {
    ::close(sockets.ours);
    ::close(words.ours);
    throw Error(ErrorKind::not_found, "cannot start '" + program.string() + "': " + std::strerror(error),
                "install warptune-worker beside warptune, or name it in WARPTUNE_WORKER", error);
  }
  return {pid, sockets.ours, words.ours};
}

WorkerProcess::WorkerProcess(const fs::path& program, const std::vector<std::string>& arguments)
    : WorkerProcess(spawn(program, arguments)) {}

WorkerProcess::WorkerProcess(const Spawned& spawned)
    : pid_(spawned.pid), channel_(spawned.socket), words_(spawned.words) {}

WorkerProcess::~WorkerProcess() {
  close();
  reap();
  ::close(words_);
}

Death WorkerProcess::reap() noexcept {
  int status = 0;
  for (int waited_ms = 0; !death_ && waited_ms < patience_ms; ++waited_ms) {
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) death_ = death_of(status);
    if (ended < 0 && errno != EINTR) death_ = Death{std::nullopt, -1, false};
    if (ended == 0) ::usleep(1'000);
  }
  return death_ ? *death_ : kill();
}

Death WorkerProcess::kill() noexcept {
  close();
  if (death_) return *death_;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  death_ = death_of(status);
  death_->by_tuner = true;
  return *death_;
}

std::string WorkerProcess::last_words() {
  std::string text;
  std::array<char, 4096> bytes;
  constexpr std::size_t enough = 4096;
  for (ssize_t count = 0; (count = ::read(words_, bytes.data(), bytes.size())) > 0;)
    if (text.size() < enough) text.append(bytes.data(), static_cast<std::size_t>(count));
  std::string_view rest = trim(text);
  return one_line(trim(rest.substr(0, rest.find('\n'))));
}

fs::path find_worker_program() {
  constexpr const char* name = "warptune-worker";
  if (const char* named = std::getenv("WARPTUNE_WORKER"); named != nullptr && *named != '\0') {
    if (is_program(named)) return named;
    throw Error(ErrorKind::not_found, std::string("WARPTUNE_WORKER names no program: ") + named,
                "let it name warptune-worker, or unset it");
  }
  std::error_code ignored;
  std::vector<fs::path> candidates;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored);
  if (!here.empty()) candidates.push_back(here.parent_path() / name);
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path == nullptr ? "" : path, ':'))
    if (!folder.empty()) candidates.push_back(fs::path(folder) / name);
  for (const fs::path& candidate : candidates)
    if (is_program(candidate)) return candidate;
  throw Error(ErrorKind::not_found, "warptune-worker was not found beside the program or on PATH",
              "install it there, or name it in WARPTUNE_WORKER");
}

}  // namespace warptune::tuner
