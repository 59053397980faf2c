// Kernels of the embedding space through NVRTC, for three architectures: an even sample of them by default, all of them with
// WARPTUNE_EXHAUSTIVE set. Needs NVRTC but no GPU.
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <warptune/spec/catalog.hpp>
#include <warptune/spec/space.hpp>

#include "tests/simt/compile_all.hpp"

namespace warptune::test {
namespace {

struct Kind {
  const char* type;
  const char* id_type;
  const char* policy;
};
// Every element size, id width and policy; in all combinations they would be some 15,000 kernels.
constexpr Kind kinds[] = {{"unsigned char", "int", "clamp"}, {"__half", "long long", "zero"},
                          {"float", "int", "check"},         {"double", "long long", "clamp"},
                          {"__half", "int", "check"},        {"float", "long long", "zero"}};

spec::Instance instance_of(const Kind& kind, int compute_capability) {
  spec::DeviceTraits device;
  device.model = "none";
  device.compute_capability = compute_capability;
  device.sm_count = 132;
  device.max_shared_bytes = 232448;
  device.shared_bytes_per_sm = 233472;
  spec::Problem problem;
  problem.types = {{"T", kind.type}, {"I", kind.id_type}};
  problem.dims = {{"v", 128256}, {"n", 32768}, {"h", 4096}};
  problem.attributes["policy"] = kind.policy;
  return spec::Instance(spec::find_template("embedding"), problem, device);
}

std::vector<std::string> all_entries(int compute_capability) {
  std::set<std::string> entries;
  for (const Kind& kind : kinds) {
    const spec::Instance instance = instance_of(kind, compute_capability);
    spec::Space(instance).for_each([&](const spec::Config& config) {
      for (const std::string& entry : instance.entries(config)) entries.insert(entry);
      return true;
    });
    entries.insert(instance.check_plan().entry);
  }
  return {entries.begin(), entries.end()};
}

struct Target {
  const char* architecture;
  std::size_t entries;  // of the space
  std::size_t sampled;
};
void PrintTo(const Target& target, std::ostream* out) { *out << target.architecture; }

class EmbeddingCompile : public testing::TestWithParam<Target> {};

TEST_P(EmbeddingCompile, EntriesOfTheSpace) {
  const std::string architecture = GetParam().architecture;
  std::string why;
  const std::shared_ptr<runtime::Compiler> compiler = compiler_for(architecture, &why);
  if (compiler == nullptr) GTEST_SKIP() << why;
  const int compute_capability = std::stoi(architecture.substr(3));

  const std::vector<std::string> all = all_entries(compute_capability);
  EXPECT_EQ(all.size(), GetParam().entries);
  const bool exhaustive = std::getenv("WARPTUNE_EXHAUSTIVE") != nullptr;
  std::vector<std::string> sample;
  // A start of its own for each architecture: between them they see more.
  for (std::size_t i = exhaustive ? 0 : static_cast<std::size_t>(compute_capability) % 61; i < all.size();
       i += exhaustive ? 1 : 61)
    sample.push_back(all[i]);

  const spec::Instance instance = instance_of(kinds[0], compute_capability);
  std::size_t compiled = 0;
  for (const runtime::CompileResult& result : compile_all(*compiler, instance, sample, architecture)) {
    ASSERT_TRUE(result.kernel) << result.entry << ": " << result.error;
    const spec::KernelTraits& traits = result.kernel->traits;
    // Up to 128 registers a block of 512 can run; what is in flight does not go through local memory.
    EXPECT_LE(traits.registers, 128) << result.entry;
    EXPECT_LE(traits.local_bytes, 16) << result.entry;            // at most a few predicates
    EXPECT_LE(traits.static_shared_bytes, 1024) << result.entry;  // reserved by the system
    ++compiled;
  }
  std::cout << "embedding for " << architecture << ": " << compiled << " of " << all.size() << " kernels\n";
  EXPECT_EQ(compiled, exhaustive ? GetParam().entries : GetParam().sampled);
}

// Of these, 292 are MAPPING=whole, counted by hand at h = 4096: per kind 54 + 20, 54 + 8 (twice), 36 + 2 (twice) and 18 kernels of
// 16-byte accesses and of narrower ones.
INSTANTIATE_TEST_SUITE_P(Architectures, EmbeddingCompile,
                         testing::Values(Target{"sm_80", 4243, 70}, Target{"sm_90", 4259, 70},
                                         Target{"sm_100", 4259, 70}),
                         [](const auto& test) { return test.param.architecture; });

}  // namespace
}  // namespace warptune::test
