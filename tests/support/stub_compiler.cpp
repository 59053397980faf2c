#include "tests/support/stub_compiler.hpp"

#include "tests/support/stub_device.hpp"

namespace warptune::testing {

std::vector<runtime::CompileResult> StubCompiler::compile(const runtime::CompileRequest& request) {
  std::string log;
  for (const auto& entry : request.entries) {
    for (const auto& [part, text] : failures_) {
      if (log.empty() && entry.find(part) != std::string::npos) log = text;
    }
  }
  const auto image = std::make_shared<const std::vector<std::byte>>(stub_image(request.entries));
  std::vector<runtime::CompileResult> results;
  for (const auto& entry : request.entries) {
    runtime::CompileResult result;
    result.entry = entry;
    result.log = log;
    result.error = log.substr(0, log.find('\n'));
    if (log.empty()) {
      spec::KernelTraits traits;
      traits.registers = 32;
      for (const auto& [part, wanted] : traits_) {
        if (entry.find(part) == std::string::npos) continue;
        traits = wanted;
        break;
      }
      result.kernel = std::make_shared<const runtime::CompiledKernel>(
          runtime::CompiledKernel{entry, entry, image, traits});
    }
    results.push_back(std::move(result));
  }
  const std::lock_guard lock(mutex_);
  programs_.push_back(request.entries);
  return results;
}

std::vector<std::vector<std::string>> StubCompiler::programs() const {
  const std::lock_guard lock(mutex_);
  return programs_;
}

}  // namespace warptune::testing
