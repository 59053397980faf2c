// Every kernel of the dot space through NVRTC, for three architectures. Needs NVRTC but no GPU.
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <warptune/spec/catalog.hpp>
#include <warptune/spec/space.hpp>

#include "tests/simt/compile_all.hpp"

namespace warptune::runtime {
namespace {

spec::Instance instance_of(const std::string& type) {
  spec::DeviceTraits device;
  device.model = "none";
  device.compute_capability = 90;
  device.sm_count = 132;
  spec::Problem problem;
  problem.types["T"] = type;
  problem.dims["n"] = 1 << 20;
  problem.allowed = {.approx = true, .nondeterministic = true};
  return spec::Instance(spec::find_template("dot"), problem, device);
}

std::vector<std::string> all_entries() {
  std::set<std::string> entries;
  for (const char* type : {"float", "__half", "__nv_bfloat16"}) {
    const spec::Instance instance = instance_of(type);
    spec::Space(instance).for_each([&](const spec::Config& config) {
      for (const std::string& entry : instance.entries(config)) entries.insert(entry);
      return true;
    });
    entries.insert(instance.check_plan().entry);
  }
  return {entries.begin(), entries.end()};
}

// The template argument NUM_THREADS of an entry; dot_reference has 256 threads.
int threads_of(const std::string& entry) {
  if (entry.rfind("dot_reference<", 0) == 0) return 256;
  const std::size_t digits =
      entry.find_first_of("0123456789", entry.find(entry.rfind("dot<", 0) == 0 ? ',' : '<'));
  return std::stoi(entry.substr(digits));
}

class DotCompile : public testing::TestWithParam<std::string> {};

TEST_P(DotCompile, EveryEntryOfTheSpace) {
  const std::string& architecture = GetParam();
  std::string why;
  const std::shared_ptr<Compiler> compiler = test::compiler_for(architecture, &why);
  if (compiler == nullptr) GTEST_SKIP() << why;

  const spec::Instance instance = instance_of("float");
  const std::vector<std::string> entries = all_entries();
  const std::vector<CompileResult> results = test::compile_all(*compiler, instance, entries, architecture);

  int spilling = 0;
  for (const CompileResult& result : results) {
    ASSERT_TRUE(result.kernel) << result.entry << ": " << result.error;
    const spec::KernelTraits& traits = result.kernel->traits;
    const int block = threads_of(result.entry);
    EXPECT_LE(traits.registers * block, 65536) << result.entry << " would not launch";
    EXPECT_LE(traits.static_shared_bytes, 132 + 1024)
        << result.entry;  // a float per warp, a flag; reserved bytes
    EXPECT_EQ(traits.max_threads_per_block, block) << result.entry;
    // Sixteen 16-byte loads in flight need more than the 64 registers that a thread of 1,024 can have.
    EXPECT_LE(traits.local_bytes, block == 1024 ? 256 : 64) << result.entry;
    if (traits.local_bytes > 0) ++spilling;
  }
  std::cout << "dot for " << architecture << ": " << results.size() << " kernels, " << spilling
            << " use local memory\n";
  EXPECT_EQ(results.size(), 336u + 2u + 3u);
  EXPECT_LE(spilling, 20);
}

INSTANTIATE_TEST_SUITE_P(Architectures, DotCompile, testing::Values("sm_80", "sm_90", "sm_100"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace warptune::runtime
