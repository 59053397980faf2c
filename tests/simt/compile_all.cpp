#include "tests/simt/compile_all.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include <warptune/base/error.hpp>
#include <warptune/runtime/kernel_builder.hpp>

namespace warptune::test {
namespace {

constexpr std::size_t entries_per_program = 24;
constexpr unsigned compile_threads = 2;

}  // namespace

std::shared_ptr<runtime::Compiler> compiler_for(const std::string& architecture, std::string* why) {
  try {
    std::shared_ptr<runtime::Compiler> compiler = runtime::open_nvrtc();
    if (compiler->supports(architecture)) return compiler;
    *why = "this NVRTC knows no " + architecture;
  } catch (const Error& error) {
    *why = error.what();
  }
  return nullptr;
}

std::vector<runtime::CompileResult> compile_all(runtime::Compiler& compiler, const spec::Instance& instance,
                                                const std::vector<std::string>& entries,
                                                const std::string& architecture) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::vector<runtime::CompileResult> results;
  const auto work = [&] {
    for (std::size_t begin = 0; (begin = next.fetch_add(entries_per_program)) < entries.size();) {
      runtime::CompileRequest request =
          runtime::compile_request(instance, instance.spec().default_config, architecture);
      const std::size_t end = std::min(begin + entries_per_program, entries.size());
      request.entries.assign(entries.begin() + static_cast<std::ptrdiff_t>(begin),
                             entries.begin() + static_cast<std::ptrdiff_t>(end));
      std::vector<runtime::CompileResult> part = compiler.compile(request);
      const std::lock_guard lock(mutex);
      results.insert(results.end(), part.begin(), part.end());
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < compile_threads; ++i) threads.emplace_back(work);
  threads.clear();
  return results;
}

}  // namespace warptune::test
