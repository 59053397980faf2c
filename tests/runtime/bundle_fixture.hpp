// A bundle of the tally kernel for the stub device, and a runtime on it that has no compiler. Not thread-safe.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include <warptune/base/error.hpp>
#include <warptune/db/bundle.hpp>

#include "tests/runtime/dispatch_fixture.hpp"

namespace warptune::testing {

// What a machine without NVRTC has: every use is an error, and counted.
class NoCompiler final : public runtime::Compiler {
 public:
  std::vector<runtime::CompileResult> compile(const runtime::CompileRequest&) override { refuse(); }
  std::string identity() const override { refuse(); }
  std::string version() const override { refuse(); }
  std::string headers_hash() const override { refuse(); }
  bool supports(const std::string&) const override { refuse(); }
  int uses() const { return uses_; }

 private:
  [[noreturn]] void refuse() const {
    ++uses_;
    throw Error(ErrorKind::no_device, "no NVRTC on this machine");
  }
  mutable std::atomic<int> uses_ = 0;
};

class BundleTest : public DispatchTest {
 protected:
  struct Code {
    db::NamedValues config;
    std::string architecture;  // "sm_90", "compute_75"
  };
  static db::NamedValues default_config() { return tally_config(64, 1, "one"); }

  // A bundle with these winners and this code, made by the stub compiler; and the template, whose files are then removed.
  void write(const std::vector<TallyRow>& winners, const std::vector<Code>& codes,
             const std::vector<std::pair<TallyRow, double>>& cover = {});
  // Changes one letter of the image that holds the kernel `entry` for `architecture`.
  void damage(const std::string& entry, const std::string& architecture);

  std::filesystem::path bundle() const { return folder_ / "app.wtb"; }
  runtime::RuntimeOptions options();
  runtime::Runtime open_bundle() { return runtime::Runtime::open(bundle(), options(), device_); }
  runtime::Kernel kernel(runtime::Runtime& runtime) { return runtime.kernel("tally", {{"T", "float"}}); }

  std::shared_ptr<NoCompiler> no_compiler_ = std::make_shared<NoCompiler>();
};

}  // namespace warptune::testing
