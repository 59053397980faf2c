// What the dispatch tests share: a template whose kernels run on the stub device, a database in a temporary
// folder, and the lines the runtime said. Not thread-safe, except where a member says so.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <warptune/db/store.hpp>
#include <warptune/runtime/runtime.hpp>
#include <warptune/spec/catalog.hpp>

#include "tests/support/stub_compiler.hpp"
#include "tests/support/stub_device.hpp"

namespace warptune::testing {

// y[0] = sum of the n * k elements of x. Dims: n free, k key. Tunables: BLOCK (2048 is beyond any device), PACK
// (must divide n, and asks x for PACK * sizeof(T) bytes of alignment), MODE (`one` kernel; `two`: partial sums
// in a workspace, then a second kernel; `ticket`: a counter; `fast`: class approx).
// Default: BLOCK=64 PACK=1 MODE=one.
extern const char* const tally_manifest;
spec::TemplatePtr tally();

// The bodies of its kernels, for T = float.
void define_tally(StubDevice& device);

db::NamedValues tally_config(std::int64_t block, std::int64_t pack, const std::string& mode);

struct TallyRow {
  std::int64_t n = 1024;
  std::int64_t k = 1;
  db::NamedValues config;
  int alignment_bytes = 4;
  bool verified_ragged = true;
  double time_ns = 1000;
  std::string policy = "cold";
};

// The winner as the store gives it back, measured by `traits` with the stub compiler's toolchain.
db::StoredWinner tally_winner(const TallyRow& row, const spec::DeviceTraits& traits = stub_traits());

class DispatchTest : public ::testing::Test {
 protected:
  DispatchTest();
  ~DispatchTest() override;

  // Adds winners to the database, each as a run of its own.
  void store(const std::vector<db::StoredWinner>& winners);
  runtime::Runtime open(double nearest_bound_log2 = 2.0);
  // With the stub compiler, a cache in the folder, and a hook that keeps the lines.
  runtime::RuntimeOptions options(double nearest_bound_log2 = 2.0);
  runtime::Kernel kernel(runtime::Runtime& runtime) {
    return runtime.kernel(manifest().string(), {{"T", "float"}});
  }
  std::filesystem::path manifest() const { return folder_ / "tally.toml"; }
  std::filesystem::path database() const { return folder_ / "tuning.db"; }
  // Lines said so far that contain `part`; thread-safe.
  std::vector<std::string> lines(const std::string& part = {}) const;

  std::filesystem::path folder_;
  std::shared_ptr<StubDevice> device_ = std::make_shared<StubDevice>();
  std::shared_ptr<StubCompiler> compiler_ = std::make_shared<StubCompiler>();

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

// Operands of one call in stub memory: x holds n * k ones, starting `offset` elements into an allocation.
class TallyOperands {
 public:
  TallyOperands(StubDevice& device, std::int64_t elements, std::int64_t offset = 0);
  std::vector<void*> pointers() const;
  float result() const;

 private:
  StubDevice& device_;
  runtime::DeviceBuffer x_, y_;
  std::int64_t offset_;
};

// launch() with the dims {n, k} spelled out.
runtime::Match run_tally(const runtime::Kernel& kernel, const TallyOperands& operands, std::int64_t n,
                         std::int64_t k = 1, runtime::StreamHandle stream = runtime::legacy_stream);

}  // namespace warptune::testing
