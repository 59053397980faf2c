#include "bench/trust/companion.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include <warptune/runtime/compiler.hpp>

#include "bench/trust/trust.hpp"

namespace warptune::trust {
namespace {

[[noreturn]] void compute() {
  Card card;
  const auto evaluator = card.open(small_dot(), problem_of("__half", 1 << 24));
  const std::vector<spec::Config> configs = all_configs(evaluator->instance());
  for (;;) (void)evaluator->time_block(configs.front());
}

[[noreturn]] void compile() {
  spec::DeviceTraits traits;
  traits.model = "NVIDIA H200";
  traits.compute_capability = 90;
  traits.sm_count = 132;
  const spec::Instance instance(small_dot(), problem_of("__half", 1 << 24), traits);
  const std::vector<spec::Config> configs = all_configs(instance);
  const auto compiler = runtime::open_nvrtc();
  for (std::size_t i = 0;; ++i)
    (void)compiler->compile(runtime::compile_request(instance, configs[i % configs.size()], "sm_90"));
}

}  // namespace

Companion::Companion(std::string does) {
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string test = "companion";
  char* const arguments[] = {program.data(), test.data(), does.data(), nullptr};
  if (::posix_spawn(&pid_, program.c_str(), nullptr, nullptr, arguments, environ) != 0)
    throw std::runtime_error("a process to " + does + " could not be started");
}

Companion::~Companion() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Companion::require_running() const {
  if (::waitpid(pid_, nullptr, WNOHANG) != 0) throw std::runtime_error("a process beside us has ended");
}

int keep_company(const std::string& does) {
  if (does == "compute") compute();
  if (does == "compile") compile();
  return 2;
}

}  // namespace warptune::trust
