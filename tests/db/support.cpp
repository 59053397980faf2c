#include "tests/db/support.hpp"

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>

namespace warptune::db::test {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() { fs::permissions(path(), fs::perms{0755}); }

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::permissions(path(), fs::perms{0755}, ignored);
}

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> result;
  for (const auto& entry : fs::directory_iterator(path())) result.push_back(entry.path().filename().string());
  std::sort(result.begin(), result.end());
  return result;
}

DeviceKey sample_device() { return {"NVIDIA H200", 90, 132, 62914560, 141}; }

ProblemKey sample_problem(std::int64_t n) {
  ProblemKey problem;
  problem.kernel = "dot";
  problem.template_hash = "0123456789abcdef0123456789abcdef";
  problem.types = {{"T", "__half"}};
  problem.key_dims = {{"rank", 1}};
  problem.free_dims = {{"n", n}};
  problem.attributes = {{"layout", "row"}};
  problem.numerics = "exact";
  problem.device = sample_device();
  problem.policy = "cold";
  return problem;
}

Toolchain sample_toolchain() { return {13000, "580.159.04", "13.0", "feedface", "0.1.0"}; }

RunInfo sample_run() {
  RunInfo info;
  info.toolchain = sample_toolchain();
  info.strategy = "exhaustive";
  info.seed = 0xfedcba9876543210;  // above INT64_MAX
  info.command = "warptune tune dot";
  info.started_unix_s = 1'700'000'000;
  info.template_parts = {{"dot.cu", "11"}, {"manifest: step", "22"}};
  return info;
}

RunEnd sample_end() {
  return {true, 720, 12.5, 8.25, {{"compile", 4.5}, {"measure", 6.0}}, {{"sm_mhz_median", 1980.0}}};
}

ReferenceTime sample_reference_time(std::int64_t n) {
  ReferenceTime time;
  time.kernel = "dot";
  time.types = {{"T", "__half"}};
  time.dims = {{"n", n}, {"rank", 1}};
  time.attributes = {{"layout", "row"}};
  time.device = sample_device();
  time.policy = "cold";
  time.library = "cuBLAS";
  time.call = "cublasDotEx";
  time.library_version = "13.1.0";
  time.toolchain = sample_toolchain();
  time.time_ns = 25000;
  time.interval_low_ns = 24900;
  time.interval_high_ns = 25100;
  time.samples = 20;
  time.at_unix_s = 1'700'000'100;
  time.beside = Beside{sample_config(256), 20500, 1.21};
  return time;
}

NamedValues sample_config(std::int64_t threads) {
  return {{"NUM_THREADS", threads}, {"FINISH", std::string("two_pass")}, {"PACK", std::int64_t{8}}};
}

OutcomeRecord sample_outcome(std::int64_t threads) {
  OutcomeRecord outcome;
  outcome.config = sample_config(threads);
  outcome.status = "ok";
  outcome.time_ns = 17800.5;
  outcome.blocks_ns = {17800.5F, 17811.25F, 17790.0F};
  outcome.max_error = 1.5e-7;
  outcome.verified_ragged = true;
  outcome.registers = 40;
  outcome.local_bytes = 16;
  outcome.shared_bytes = 1024;
  outcome.alignment_bytes = 16;
  outcome.at_unix_ms = 1'700'000'001'234;
  return outcome;
}

WinnerRecord sample_winner(std::int64_t threads) {
  WinnerRecord winner;
  winner.alignment_bytes = 16;
  winner.config = sample_config(threads);
  winner.time_ns = 20000;
  winner.default_time_ns = 30000;
  winner.default_config = sample_config(128);
  winner.interval_low_ns = 19900;
  winner.interval_high_ns = 20100;
  winner.samples = 30;
  winner.tied = 2;
  winner.verified_ragged = true;
  winner.complete = true;
  winner.bytes = 67108864;
  winner.flops = 33554432;
  winner.limit_bytes_per_s = 4.6e12;
  return winner;
}

std::vector<NeighbourTime> sample_neighbours(std::int64_t n) {
  return {{{{"n", 2 * n}}, sample_config(256), 39000.5, 12}, {{{"n", 2 * n}}, sample_config(128), 39100, 12}};
}

void make_sample(const fs::path& file) {
  Store store = Store::open(file, OpenMode::create);
  const std::int64_t run = store.begin_run(sample_problem(), sample_run());
  store.add_outcome(run, sample_outcome(256));
  OutcomeRecord failed = sample_outcome(512);
  failed.status = "wrong_result";
  failed.reason = "element 3 is 1, not 2";
  failed.time_ns.reset();
  failed.blocks_ns.clear();
  store.add_outcome(run, failed);
  store.add_neighbour_times(run, sample_neighbours());
  store.end_run(run, sample_end(), {sample_winner(256)});
}

std::string run_unprivileged(const std::function<void()>& body) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    std::string message;
    try {
      if (::geteuid() == 0) {
        require(::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0,
                "cannot drop privileges");
      }
      body();
    } catch (const std::exception& error) {
      message = error.what();
    }
    const bool told =
        ::write(ends[1], message.data(), message.size()) == static_cast<ssize_t>(message.size());
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  std::string message;
  std::array<char, 512> chunk{};
  for (ssize_t got = 0; (got = ::read(ends[0], chunk.data(), chunk.size())) > 0;) {
    message.append(chunk.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return message;
}

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

}  // namespace warptune::db::test
