// A Compiler that accepts any entry and gives images that the stub device loads. Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <warptune/runtime/compiler.hpp>

namespace warptune::testing {

class StubCompiler final : public runtime::Compiler {
 public:
  // A kernel's lowered name is its entry; its image names every entry of the program. A program with a failing entry fails
  // whole, as with NVRTC.
  std::vector<runtime::CompileResult> compile(const runtime::CompileRequest& request) override;
  std::string identity() const override { return identity_; }
  std::string version() const override { return "13.0"; }
  std::string headers_hash() const override { return "stub-headers"; }
  bool supports(const std::string& architecture) const override { return architecture != unsupported_; }

  // Set before the first compile.
  // Entries that contain `part` do not compile; `log` is what the compiler says.
  void fail_entries(const std::string& part, const std::string& log) { failures_.emplace_back(part, log); }
  // Traits of the entries that contain `part`; the first match counts. Elsewhere 32 registers and nothing else.
  void set_traits(const std::string& part, spec::KernelTraits traits) { traits_.emplace_back(part, traits); }
  void set_identity(std::string identity) { identity_ = std::move(identity); }
  void set_unsupported(std::string architecture) { unsupported_ = std::move(architecture); }

  // The entries of every program so far, in the order the programs were finished.
  std::vector<std::vector<std::string>> programs() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::vector<std::string>> programs_;
  std::vector<std::pair<std::string, std::string>> failures_;
  std::vector<std::pair<std::string, spec::KernelTraits>> traits_;
  std::string identity_ = "stub 1";
  std::string unsupported_;
};

}  // namespace warptune::testing
