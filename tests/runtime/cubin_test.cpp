// Figures read from cubins, against what ptxas itself reports; and damaged cubins.
#include "runtime/compile/cubin.hpp"

#include <cstdlib>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <warptune/runtime/compiler.hpp>

namespace warptune::runtime {
namespace {

// Kernels without registers to speak of, with static shared memory and a bound, with a local array, with spills.
const char* const source = R"cuda(
extern "C" __global__ void plain(float* p) { p[0] = 1; }
extern "C" __global__ void __launch_bounds__(256, 2) shared(float* p) {
  __shared__ float s[100];
  s[threadIdx.x % 100] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[5];
}
extern "C" __global__ void local(float* p, int i) {
  float a[50];
  for (int j = 0; j < 50; ++j) a[j] = p[j];
  for (int j = 0; j < i; ++j) a[(j * i) % 50] += a[j % 50];
  p[0] = a[i];
}
extern "C" __global__ void dynamic(float* p) {
  extern __shared__ float s[];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[0];
}
extern "C" __global__ void __launch_bounds__(1024) spilling(double* p) {
  double a[64];
#pragma unroll
  for (int j = 0; j < 64; ++j) a[j] = p[threadIdx.x + j * 1024];
#pragma unroll
  for (int j = 0; j < 64; ++j) p[threadIdx.x + j * 1024] = a[(j * 7) % 64] * a[63 - j] + a[(j * 3) % 64];
}
)cuda";
const std::vector<std::string> names{"plain", "shared", "local", "dynamic", "spilling"};

CompileResult compile_for(const std::string& architecture) {
  ::setenv("CUDA_CACHE_DISABLE", "1", 1);  // a hit in NVRTC's own cache leaves out ptxas's report
  CompileRequest request;
  request.source = source;
  request.program_name = "resources.cu";
  request.entries = names;
  request.options = {"-Xptxas=-v"};
  request.architecture = architecture;
  return open_nvrtc()->compile(request).front();
}

int number_before(const std::string& text, const std::string& unit) {
  std::smatch match;
  return std::regex_search(text, match, std::regex("([0-9]+) " + unit)) ? std::stoi(match[1]) : 0;
}

class CubinOfArchitecture : public ::testing::TestWithParam<const char*> {};

TEST_P(CubinOfArchitecture, FiguresAgreeWithPtxas) {
  if (!open_nvrtc()->supports(GetParam())) GTEST_SKIP() << "this NVRTC knows no " << GetParam();
  const CompileResult result = compile_for(GetParam());
  ASSERT_TRUE(result.kernel) << result.log;
  const auto kernels = cubin_kernels(*result.kernel->image);
  ASSERT_EQ(kernels.size(), names.size());
  bool spilled = false;
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const std::size_t start = result.log.find("entry function '" + name + "'");
    ASSERT_NE(start, std::string::npos) << result.log;
    const std::string report = result.log.substr(start, result.log.find("Compile time", start) - start);
    const spec::KernelTraits& traits = kernels.at(name);
    EXPECT_EQ(traits.registers, number_before(report, "registers"));
    EXPECT_EQ(traits.static_shared_bytes, number_before(report, "bytes smem"));
    EXPECT_EQ(traits.local_bytes, number_before(report, "bytes stack frame"));
    spilled = spilled || number_before(report, "bytes spill stores") > 0;
  }
  EXPECT_TRUE(spilled) << "no kernel spills any more: the test has lost a case";
  EXPECT_EQ(kernels.at("plain").max_threads_per_block, 1024);
  EXPECT_EQ(kernels.at("shared").max_threads_per_block, 256);
  EXPECT_EQ(kernels.at("shared").static_shared_bytes, 400);
  EXPECT_GE(kernels.at("local").local_bytes, 200);
  EXPECT_EQ(kernels.at("dynamic").static_shared_bytes, 0);
}

INSTANTIATE_TEST_SUITE_P(Shipped, CubinOfArchitecture,
                         ::testing::Values("sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"),
                         [](const auto& tested) { return std::string(tested.param); });

// Copies to a heap block of the exact size, so that AddressSanitizer sees a read of one byte too many.
std::map<std::string, spec::KernelTraits> read_exact(const std::vector<std::byte>& image, std::size_t bytes) {
  const std::vector<std::byte> copy(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(bytes));
  return cubin_kernels(copy);
}

TEST(DamagedCubin, CutShortGivesNoMoreThanItHolds) {
  const CompileResult result = compile_for("sm_90");
  ASSERT_TRUE(result.kernel) << result.log;
  const auto& image = *result.kernel->image;
  for (std::size_t bytes = 0; bytes < image.size(); bytes += bytes < 128 ? 1 : 37) {
    EXPECT_LE(read_exact(image, bytes).size(), names.size()) << bytes;
  }
  EXPECT_TRUE(read_exact(image, 63).empty());
}

TEST(DamagedCubin, FlippedBytesAreReadWithinBounds) {
  const CompileResult result = compile_for("sm_90");
  ASSERT_TRUE(result.kernel) << result.log;
  std::mt19937 random(7);
  std::size_t changed = 0;
  const auto healthy = cubin_kernels(*result.kernel->image);
  for (int round = 0; round < 4000; ++round) {
    auto image = *result.kernel->image;
    // Half of the rounds hit the header and the section table at the end, where offsets and sizes are.
    const std::size_t from = round % 4 == 0   ? 0
                             : round % 4 == 1 ? image.size() - std::min<std::size_t>(image.size(), 4096)
                                              : 0;
    const std::size_t to = round % 4 == 0 ? 64 : image.size();
    for (int flips = 1 + round % 5; flips > 0; --flips) {
      image[from + random() % (to - from)] = static_cast<std::byte>(random() % 256);
    }
    const auto kernels = read_exact(image, image.size());
    for (const auto& [name, traits] : kernels) {
      ASSERT_GE(traits.registers, 0);
      ASSERT_GE(traits.local_bytes, 0);
      ASSERT_GE(traits.static_shared_bytes, 0);
      ASSERT_GE(traits.max_threads_per_block, 1);
      ASSERT_LE(traits.max_threads_per_block, 1024);
    }
    changed += kernels.size() != healthy.size() ? 1 : 0;
  }
  EXPECT_GT(changed, 100u) << "the damage no longer reaches what is read";
}

TEST(DamagedCubin, NoiseIsNoCubin) {
  EXPECT_TRUE(cubin_kernels({}).empty());
  EXPECT_TRUE(cubin_kernels(std::vector<std::byte>(4096, std::byte{0xff})).empty());
}

}  // namespace
}  // namespace warptune::runtime
