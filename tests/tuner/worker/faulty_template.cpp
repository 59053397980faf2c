#include "tests/tuner/worker/faulty_template.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include <warptune/base/error.hpp>
#include <warptune/base/hash.hpp>

#include "tests/support/stub_compiler.hpp"
#include "tests/support/stub_device.hpp"
#include "tests/tuner/support/host_helper_kernels.hpp"
#include "tuner/worker/process.hpp"

namespace warptune::test {
namespace {

using testing::StubCompiler;
using testing::StubDevice;
using testing::StubLaunch;

constexpr const char* manifest = R"toml([kernel]
name = "faulty"
summary = "y = 2 x, and worse"
source = "faulty.cu"

[problem]
types = { T = ["float"] }
dims = ["n"]

[tunables]
KIND = ["right", "half", "segfault", "aborts", "exits", "kills", "kills_once", "hangs", "slow", "babbles", "lies",
        "illegal", "refused", "late", "c_error", "c_segfault", "c_hangs", "c_memory", "c_hoards", "picky"]
VARIANT = [0, 1, 2, 3]

[default]
KIND = "right"
VARIANT = 0

[[buffer]]
name = "x"
type = "T"
elements = "n"
role = "in"
fill = "normal"

[[buffer]]
name = "y"
type = "T"
elements = "n"
role = "out"

[[step]]
entry = "faulty<Kind::{KIND}, {VARIANT}>"
args = ["x", "y", { value = "n", type = "long long" }]
grid = ["1"]
block = ["256"]

[check]
output = "y"
reference = "faulty_reference"
args = ["x", "reference", "scale", { value = "n", type = "long long" }]
grid = ["1"]
block = ["256"]

[[check.input]]
fill = "normal"
tolerance = 1e-6
)toml";

constexpr const char* source = "// compiled by a stub\n";

std::string kind_of(const std::string& entry) {
  const std::size_t start = entry.find("Kind::");
  if (start == std::string::npos) return {};
  return entry.substr(start + 6, entry.find(',') - start - 6);
}

[[noreturn]] void die_of(int signal) {
  std::signal(signal, SIG_DFL);  // sanitizers have handlers of their own
  std::raise(signal);
  std::abort();
}

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

void say(std::string_view bytes) {
  if (::write(tuner::worker_socket, bytes.data(), bytes.size()) < 0) std::abort();
}

void misbehave(const std::string& kind, const std::filesystem::path& folder) {
  if (kind == "segfault") die_of(SIGSEGV);
  if (kind == "aborts") die_of(SIGABRT);
  if (kind == "exits") ::_exit(7);
  if (kind == "kills") die_of(SIGKILL);
  if (kind == "kills_once" && !std::filesystem::exists(folder / "killed")) {
    std::ofstream(folder / "killed") << "once";
    die_of(SIGKILL);
  }
  if (kind == "late" && std::filesystem::exists(folder / "late")) die_of(SIGSEGV);
  if (kind == "hangs") hang();
  if (kind == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (kind == "babbles") say("\x01\x02noise that is no frame at all, and long enough to be looked at");
  if (kind == "lies") {
    tuner::Channel channel(::dup(tuner::worker_socket));
    channel.send({tuner::MessageKind::outcome, "short"});
    hang();
  }
}

// Fails as the stub does, and in ways of its own.
class FaultyCompiler final : public runtime::Compiler {
 public:
  FaultyCompiler() { stub_.fail_entries("c_error", "faulty.cu(3): error: planted\nand more"); }

  std::vector<runtime::CompileResult> compile(const runtime::CompileRequest& request) override {
    for (const std::string& entry : request.entries) {
      const std::string kind = kind_of(entry);
      if (kind == "c_segfault") die_of(SIGSEGV);
      if (kind == "c_hangs") hang();
      if (kind == "c_memory") eat_memory();
      if (kind == "c_hoards") hoard_.emplace_back(std::size_t{200} << 20, '\1');
    }
    return stub_.compile(request);
  }
  std::string identity() const override { return stub_.identity(); }
  std::string version() const override { return stub_.version(); }
  std::string headers_hash() const override { return stub_.headers_hash(); }
  bool supports(const std::string& architecture) const override { return stub_.supports(architecture); }

 private:
  [[noreturn]] static void eat_memory() {
    std::vector<std::vector<char>> eaten;
    for (;;) eaten.emplace_back(std::size_t{8} << 20, '\1');
  }

  StubCompiler stub_;
  std::vector<std::vector<char>> hoard_;
};

}  // namespace

spec::TemplatePtr faulty_template() { return spec::parse_template(manifest, source, "faulty.toml"); }

void write_faulty_template(const std::filesystem::path& folder, const std::string& kinds) {
  std::string text = manifest;
  if (!kinds.empty()) {
    const auto put = [&](const std::string& before, char end, const std::string& value) {
      const std::size_t first = text.find(before) + before.size();
      text.replace(first, text.find(end, first) - first, value);
    };
    put("KIND = [", ']', kinds);
    put("[default]\nKIND = ", '\n', kinds.substr(0, kinds.find(',')));
  }
  std::ofstream(folder / "faulty.toml") << text;
  std::ofstream(folder / "faulty.cu") << source;
}

spec::Problem faulty_problem(std::int64_t n) {
  spec::Problem problem;
  problem.types = {{"T", "float"}};
  problem.dims = {{"n", n}};
  return problem;
}

spec::Config faulty_config(std::string_view kind, std::int64_t variant) {
  return {{spec::Value::word(kind), spec::Value::integer(variant)}};
}

std::shared_ptr<runtime::Device> faulty_device(const std::filesystem::path& folder, int ordinal) {
  spec::DeviceTraits traits = testing::stub_traits();
  if (ordinal == 7) traits.model = "Other GPU";
  auto device = std::make_shared<StubDevice>(traits);
  device->set_place("stub:" + std::to_string(ordinal),
                    hash_hex(folder.string() + std::to_string(ordinal)));  // every folder has GPUs of its own
  define_helper_kernels(*device);
  device->fail_kernels("Kind::illegal", Error(ErrorKind::cuda, "CUDA_ERROR_ILLEGAL_ADDRESS", {}, 700),
                       StubDevice::When::synchronize);
  device->fail_kernels("Kind::refused", Error(ErrorKind::cuda, "too many resources requested", {}, 701));
  device->set_cost("faulty", [](const StubLaunch&) { return 200'000.0; });  // few calls fill a block
  device->define<const float*, float*, long long>(
      "faulty", [folder](const StubLaunch& launch, const float* x, float* y, long long n) {
        const std::string kind = kind_of(launch.name);
        misbehave(kind, folder);
        for (long long i = 0; i < (kind == "half" ? n / 2 : n); ++i) y[i] = 2 * x[i];
        if (kind == "picky")
          std::replace_if(
              y, y + n, [](float value) { return value == 2 * 12345.0f; }, 0.0f);
      });
  device->define<const float*, double*, double*, long long>(
      "faulty_reference",
      [](const StubLaunch&, const float* x, double* reference, double* scale, long long n) {
        for (long long i = 0; i < n; ++i) {
          reference[i] = 2.0 * x[i];
          scale[i] = std::abs(reference[i]);
        }
      });
  return device;
}

std::shared_ptr<runtime::Compiler> faulty_compiler() { return std::make_shared<FaultyCompiler>(); }

}  // namespace warptune::test
