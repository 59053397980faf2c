// The compiler on real sources: results, errors with their place, and what is said where something is missing.
#include "runtime/compile/nvrtc_compiler.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <warptune/base/error.hpp>

#include "tests/support/stub_compiler.hpp"

namespace warptune::runtime {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

CompileRequest request(std::string source, std::vector<std::string> entries) {
  CompileRequest request;
  request.source = std::move(source);
  request.program_name = "unit.cu";
  request.entries = std::move(entries);
  request.architecture = "sm_90";
  return request;
}

const char* const scale_source = R"cuda(
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <class T, int N> __global__ void __launch_bounds__(N) scale(T* p) {
  static_assert(N <= 256, "N is too large");
  p[threadIdx.x] = p[threadIdx.x] * p[threadIdx.x];
}
)cuda";

TEST(Nvrtc, EntriesOfOneProgramShareItsImage) {
  const auto results = open_nvrtc()->compile(
      request(scale_source, {"scale<float, 128>", "scale<__half, 256>", "scale<__nv_bfloat16, 64>"}));
  ASSERT_EQ(results.size(), 3u);
  for (const auto& result : results) {
    ASSERT_TRUE(result.kernel) << result.log;
    EXPECT_EQ(result.kernel->entry, result.entry);
    EXPECT_EQ(result.kernel->image, results[0].kernel->image);
    EXPECT_GT(result.kernel->traits.registers, 0);
  }
  EXPECT_EQ(results[0].kernel->lowered_name, "_Z5scaleIfLi128EEvPT_");
  EXPECT_EQ(results[0].kernel->traits.max_threads_per_block, 128);
  EXPECT_EQ(results[1].kernel->traits.max_threads_per_block, 256);
}

TEST(Nvrtc, AVirtualArchitectureGivesPtx) {
  CompileRequest ptx = request(scale_source, {"scale<float, 128>"});
  ptx.architecture = "compute_90";
  EXPECT_TRUE(open_nvrtc()->supports("compute_90"));
  EXPECT_FALSE(open_nvrtc()->supports("compute_20"));
  const auto results = open_nvrtc()->compile(ptx);
  ASSERT_TRUE(results.at(0).kernel) << results[0].log;
  const auto& image = *results[0].kernel->image;
  const std::string text(reinterpret_cast<const char*>(image.data()), image.size());
  EXPECT_THAT(text, HasSubstr(".target sm_90"));
  EXPECT_THAT(text, HasSubstr(".entry " + results[0].kernel->lowered_name));
  EXPECT_EQ(text.find('\0'), text.size() - 1) << "the driver is not told its size";
}

TEST(Nvrtc, OneBadEntryFailsTheProgramAndItsLogSaysWhere) {
  const auto results =
      open_nvrtc()->compile(request(scale_source, {"scale<float, 128>", "scale<float, 512>"}));
  ASSERT_EQ(results.size(), 2u);
  for (const auto& result : results) {
    EXPECT_FALSE(result.kernel);
    EXPECT_EQ(result.error, "unit.cu(5): error: static assertion failed with \"N is too large\"");
    EXPECT_THAT(result.log, HasSubstr("N=512"));
    EXPECT_FALSE(result.source_fails);
  }
}

TEST(Nvrtc, BrokenSourceIsToldFromABrokenEntry) {
  const auto results = open_nvrtc()->compile(
      request("#include \"none.cuh\"\ntemplate <int N> __global__ void k() {}\n", {"k<1>", "k<2>"}));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].source_fails);
  EXPECT_EQ(results[0].error, "unit.cu(1): catastrophic error: cannot open source file \"none.cuh\"");
}

TEST(Nvrtc, LineDirectiveOfAPreludeKeepsTheTemplatesLines) {
  const auto results = open_nvrtc()->compile(
      request("#define A 1\n#define B 2\n#line 1 \"unit.cu\"\n__global__ void k() {\n  oops;\n}\n", {"k"}));
  EXPECT_THAT(results.at(0).error, StartsWith("unit.cu(2): error:"));
}

TEST(Nvrtc, OwnHeadersComeFromMemory) {
  CompileRequest with_header =
      request("#include \"detail/step.cuh\"\n__global__ void k(int* p) { *p = step(); }\n", {"k"});
  EXPECT_FALSE(open_nvrtc()->compile(with_header).at(0).kernel);
  with_header.headers["detail/step.cuh"] = "__device__ int step() { return 3; }\n";
  EXPECT_TRUE(open_nvrtc()->compile(with_header).at(0).kernel);
}

TEST(Nvrtc, TooMuchStaticSharedMemoryIsACandidatesFailure) {
  const auto results =
      open_nvrtc()->compile(request("__global__ void k(float* p) { __shared__ float s[20000]; s[threadIdx.x] "
                                    "= *p; __syncthreads(); *p = s[1]; }",
                                    {"k"}));
  EXPECT_FALSE(results.at(0).kernel);
  EXPECT_THAT(results.at(0).error, HasSubstr("too much shared data"));
}

TEST(Nvrtc, RefusedOptionIsOneClearError) {
  CompileRequest bad = request(scale_source, {"scale<float, 32>"});
  bad.options = {"--no-such-option"};
  try {
    open_nvrtc()->compile(bad);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("--no-such-option"));
  }
}

TEST(Nvrtc, ArchitectureBeyondTheCompilerIsOneClearError) {
  const auto compiler = open_nvrtc();
  EXPECT_TRUE(compiler->supports("sm_90"));
  EXPECT_FALSE(compiler->supports("sm_999"));
  CompileRequest future = request(scale_source, {"scale<float, 32>"});
  future.architecture = "sm_999";
  try {
    compiler->compile(future);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_EQ(error.what(), "NVRTC " + compiler->version() + " cannot compile for sm_999");
    EXPECT_THAT(error.hint(), HasSubstr("CUDA_HOME"));
  }
}

TEST(Nvrtc, IdentityHoldsVersionAndHeaders) {
  const auto compiler = open_nvrtc();
  EXPECT_THAT(compiler->identity(), HasSubstr(compiler->version()));
  EXPECT_THAT(compiler->identity(), HasSubstr(compiler->headers_hash()));
  EXPECT_EQ(compiler->headers_hash().size(), 32u);
  EXPECT_EQ(open_nvrtc()->identity(), compiler->identity());
}

TEST(Nvrtc, MissingHeadersSayWhatToInstall) {
  std::vector<CudaRoot> roots = cuda_roots();
  for (auto& root : roots) root.include_folders.clear();
  try {
    const NvrtcCompiler compiler(roots);
    FAIL() << "found headers";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::no_device);
    EXPECT_THAT(error.what(), HasSubstr("cuda_fp16.h"));
    EXPECT_THAT(error.hint(), HasSubstr("nvidia-cuda-runtime"));
  }
}

// In a process of its own: an NVRTC that is loaded already would be found by its bare name.
TEST(NvrtcDeathTest, MissingLibrarySaysWhatToInstall) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::vector<CudaRoot> roots = cuda_roots();
  for (auto& root : roots) root.library_folders.clear();
  const auto open_elsewhere = [&] {
    try {
      const NvrtcCompiler compiler(roots);
      std::fputs("found by the default search path\n", stderr);
    } catch (const Error& error) {
      std::fprintf(stderr, "%s: %s\n", to_string(error.kind()), error.full_text().c_str());
    }
    std::exit(3);
  };
  EXPECT_EXIT(open_elsewhere(), ::testing::ExitedWithCode(3),
              "^(no_device: NVRTC .*not on this machine; install .*nvidia-cuda-nvrtc.*|found by the default "
              "search path)\n$");
}

TEST(CudaRoots, WheelsOfBothLayoutsAreFound) {
  const fs::path prefix = fs::temp_directory_path() / ("warptune-roots-" + std::to_string(::getpid()));
  const fs::path site = prefix / "lib/python3.11/site-packages/nvidia";
  for (const char* folder : {"cu13/lib", "cu13/include/cccl", "cuda_nvrtc/lib", "cuda_runtime/include"}) {
    fs::create_directories(site / folder);
  }
  ::setenv("WARPTUNE_CUDA_HOME", prefix.c_str(), 1);
  const std::vector<CudaRoot> roots = cuda_roots();
  ::unsetenv("WARPTUNE_CUDA_HOME");
  fs::remove_all(prefix);
  ASSERT_EQ(roots.size(), 1u);  // nothing else is looked at
  EXPECT_THAT(roots[0].library_folders,
              ::testing::IsSupersetOf({site / "cu13/lib", site / "cuda_nvrtc/lib"}));
  EXPECT_THAT(roots[0].include_folders,
              ::testing::UnorderedElementsAre(site / "cu13/include", site / "cu13/include/cccl",
                                              site / "cuda_runtime/include"));
}

TEST(RequireSupport, AsksTheCompiler) {
  testing::StubCompiler compiler;
  compiler.set_unsupported("sm_100");
  EXPECT_NO_THROW(require_support(compiler, "sm_90"));
  EXPECT_THROW(require_support(compiler, "sm_100"), Error);
}

}  // namespace
}  // namespace warptune::runtime
