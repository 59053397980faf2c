#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <new>
#include <optional>
#include <thread>

#include "tuner/worker/channel.hpp"
#include "tuner/worker/host.hpp"
#include "tuner/worker/process.hpp"

namespace warptune::tuner {
namespace {

constexpr auto between_looks = std::chrono::milliseconds(20);
// Address space that a compiler may reserve beyond what it may use.
constexpr std::int64_t reserve_bytes = std::int64_t{2} << 30;
// Measuring comes first where both want a core, and the tuner lives on where memory is short.
constexpr int niceness = 5;
constexpr int first_to_go = 500;

struct Memory {
  std::int64_t address_bytes = 0, resident_bytes = 0;
};

std::optional<Memory> memory_now() {
  std::ifstream file("/proc/self/statm");
  Memory memory;
  if (!(file >> memory.address_bytes >> memory.resident_bytes)) return std::nullopt;
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  return Memory{memory.address_bytes * page, memory.resident_bytes * page};
}

// Looking says for sure why the process ended, the limit of the address space holds what grows faster than one looks.
void limit_memory(std::int64_t most_bytes) {
  const std::optional<Memory> before = memory_now();
  if (most_bytes <= 0 || !before) return;
  const auto address = static_cast<rlim_t>(before->address_bytes + most_bytes + reserve_bytes);
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min(limit.rlim_max, address);
  ::setrlimit(RLIMIT_AS, &limit);
  std::thread([most_bytes] {
    for (;; std::this_thread::sleep_for(between_looks)) {
      const std::optional<Memory> now = memory_now();
      if (now && now->resident_bytes > most_bytes) ::_exit(exit_out_of_memory);
    }
  }).detach();
}

Message answer(runtime::Compiler& compiler, const Message& request) {
  if (request.kind == MessageKind::supports)
    return answer_supported(compiler.supports(read_text_message(request)));
  return to_message(compiler.compile(read_compile_request(request)));
}

}  // namespace

int serve_compiling(int socket, const OpenCompiler& open_compiler, std::int64_t memory_bytes) {
  if (::nice(niceness) == -1) {
    // It may be less nice than asked for.
  }
  std::ofstream("/proc/self/oom_score_adj") << first_to_go;
  Channel channel(socket);
  try {
    std::shared_ptr<runtime::Compiler> compiler;
    try {
      compiler = open_compiler();
    } catch (const Error& error) {
      channel.send(to_message(error));
      return 1;
    }
    limit_memory(memory_bytes);
    channel.send(
        to_message(CompilerHello{compiler->identity(), compiler->version(), compiler->headers_hash()}));
    for (;;) {
      const std::optional<Message> request = channel.receive();
      Message reply;
      try {
        reply = answer(*compiler, *request);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::out_of_memory) return exit_out_of_memory;
        reply = to_message(error);
      } catch (const std::bad_alloc&) {
        ::_exit(exit_out_of_memory);
      }
      channel.send(reply);
    }
  } catch (const Error& error) {
    // The tuner is gone, or speaks another language.
    return error.kind() == ErrorKind::io ? 0 : 1;
  }
}

}  // namespace warptune::tuner
