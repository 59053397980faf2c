// Batches, threads, and the search for the entry that breaks a batch.
#include <warptune/runtime/kernel_builder.hpp>

#include <algorithm>
#include <mutex>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>
#include <warptune/base/error.hpp>

#include "tests/support/stub_compiler.hpp"

namespace warptune::runtime {
namespace {

using testing::StubCompiler;

CompileRequest request(std::size_t count) {
  CompileRequest request;
  request.program_name = "unit.cu";
  request.architecture = "sm_90";
  for (std::size_t i = 0; i < count; ++i) request.entries.push_back("k<" + std::to_string(i) + ">");
  return request;
}

BuilderOptions options(int threads, int batch) {
  return {.cache_folder = {}, .threads = threads, .batch = batch};
}

// A source that breaks for every entry, which the compiler notices.
class BrokenSource final : public Compiler {
 public:
  std::vector<CompileResult> compile(const CompileRequest& request) override {
    const std::lock_guard lock(mutex_);
    ++programs;
    std::vector<CompileResult> results;
    for (const auto& entry : request.entries)
      results.push_back({entry, nullptr, "error", "error", false, true});
    return results;
  }
  std::string identity() const override { return "broken"; }
  std::string version() const override { return "13.0"; }
  std::string headers_hash() const override { return "none"; }
  bool supports(const std::string&) const override { return true; }
  int programs = 0;

 private:
  std::mutex mutex_;
};

class Throwing final : public Compiler {
 public:
  std::vector<CompileResult> compile(const CompileRequest&) override {
    throw Error(ErrorKind::out_of_memory, "compiler is out of memory");
  }
  std::string identity() const override { return "throwing"; }
  std::string version() const override { return "13.0"; }
  std::string headers_hash() const override { return "none"; }
  bool supports(const std::string&) const override { return true; }
};

TEST(KernelBuilder, ResultsAreInTheOrderAsked) {
  const auto compiler = std::make_shared<StubCompiler>();
  KernelBuilder builder(compiler, options(4, 8));
  const auto asked = request(100);
  const auto results = builder.build(asked);
  ASSERT_EQ(results.size(), 100u);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].entry, asked.entries[i]);
    ASSERT_TRUE(results[i].kernel);
    EXPECT_EQ(results[i].kernel->entry, asked.entries[i]);
  }
  EXPECT_EQ(builder.counts().compiled, 100);
}

TEST(KernelBuilder, EveryThreadHasWorkAndNoBatchIsTooLarge) {
  const auto largest_and_count = [](std::size_t entries, int threads, int batch) {
    const auto compiler = std::make_shared<StubCompiler>();
    KernelBuilder(compiler, options(threads, batch)).build(request(entries));
    std::size_t largest = 0;
    for (const auto& program : compiler->programs()) largest = std::max(largest, program.size());
    return std::pair(largest, compiler->programs().size());
  };
  EXPECT_EQ(largest_and_count(48, 4, 24), std::pair(std::size_t{12}, std::size_t{4}));
  EXPECT_EQ(largest_and_count(1000, 4, 24), std::pair(std::size_t{24}, std::size_t{42}));  // ceil(1000 / 24)
  EXPECT_EQ(largest_and_count(3, 16, 24), std::pair(std::size_t{1}, std::size_t{3}));
  EXPECT_EQ(largest_and_count(0, 4, 24), std::pair(std::size_t{0}, std::size_t{0}));
}

TEST(KernelBuilder, EachEntryIsCompiledOnce) {
  const auto compiler = std::make_shared<StubCompiler>();
  CompileRequest asked = request(3);
  asked.entries.push_back("k<1>");
  const auto results = KernelBuilder(compiler, options(1, 24)).build(asked);
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[3].kernel, results[1].kernel);
  ASSERT_EQ(compiler->programs().size(), 1u);
  EXPECT_EQ(compiler->programs()[0].size(), 3u);
}

TEST(KernelBuilder, CulpritsStandAloneAndTheOthersCompile) {
  const auto compiler = std::make_shared<StubCompiler>();
  compiler->fail_entries("k<5>", "unit.cu(1): error: five\nmore");
  compiler->fail_entries("k<17>", "unit.cu(2): error: seventeen");
  KernelBuilder builder(compiler, options(2, 24));
  const auto results = builder.build(request(24));
  for (std::size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i].kernel == nullptr, i == 5 || i == 17) << i;
  EXPECT_EQ(results[5].error, "unit.cu(1): error: five");
  EXPECT_EQ(results[5].log, "unit.cu(1): error: five\nmore");
  EXPECT_EQ(results[17].error, "unit.cu(2): error: seventeen");
  EXPECT_EQ(builder.counts().failed, 2);
  EXPECT_EQ(builder.counts().compiled, 24);
  // 2 batches of 12, each with one culprit: a batch of 12 is halved at most 4 times on the way to it, 1 + 2 * 4 programs.
  EXPECT_LE(compiler->programs().size(), 18u);
}

TEST(KernelBuilder, AllBadStillEndsWithALogForEach) {
  const auto compiler = std::make_shared<StubCompiler>();
  compiler->fail_entries("k<", "bad");
  const auto results = KernelBuilder(compiler, options(3, 8)).build(request(20));
  for (const auto& result : results) EXPECT_TRUE(result.error.starts_with("bad")) << result.error;
}

// An error that hits every entry, but only when one is instantiated: one batch is taken apart, every other one costs itself
// and three of its entries.
TEST(KernelBuilder, AnErrorOfEveryEntryIsNotMetOncePerEntry) {
  for (const int threads : {1, 4}) {
    const auto compiler = std::make_shared<StubCompiler>();
    compiler->fail_entries("k<", "unit.cu(9): error: in all");
    KernelBuilder builder(compiler, options(threads, 24));
    const auto results = builder.build(request(240));
    std::size_t not_alone = 0;
    for (const auto& result : results) {
      EXPECT_EQ(result.kernel, nullptr);
      EXPECT_EQ(result.error.find("unit.cu(9): error: in all"), 0u) << result.error;
      EXPECT_EQ(result.log, "unit.cu(9): error: in all");
      not_alone += result.error.find("not compiled alone") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(builder.counts().failed, 240);
    EXPECT_EQ(not_alone, 9u * 21);
    // A batch of 24 has 23 halvings: 47 programs. The other nine: one of all, three alone.
    EXPECT_EQ(compiler->programs().size(), 47u + 9 * 4);
  }
}

// The first batch is bad as a whole, the second in part: the good ones are found.
TEST(KernelBuilder, AnErrorThatWasCommonToOneBatchIsLookedAtInTheNext) {
  for (const std::size_t good : {24u, 35u, 47u}) {
    const auto compiler = std::make_shared<StubCompiler>();
    for (std::size_t i = 0; i < 48; ++i)
      if (i != good) compiler->fail_entries("k<" + std::to_string(i) + ">", "unit.cu(9): error: most");
    const auto results = KernelBuilder(compiler, options(1, 24)).build(request(48));
    for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].kernel != nullptr, i == good) << i;
  }
}

// The same error in half of the entries: none of the others is lost.
TEST(KernelBuilder, AnErrorOfManyEntriesCostsNoneOfTheOthers) {
  for (const int threads : {1, 4}) {
    const auto compiler = std::make_shared<StubCompiler>();
    for (int digit : {1, 3, 5, 7, 9})
      compiler->fail_entries(std::to_string(digit) + ">", "unit.cu(9): error: odd");
    const auto results = KernelBuilder(compiler, options(threads, 24)).build(request(200));
    for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].kernel == nullptr, i % 2 == 1) << i;
  }
}

// Fails whole programs for another reason than their source.
class Exhausted final : public Compiler {
 public:
  std::vector<CompileResult> compile(const CompileRequest& request) override {
    const bool bad =
        std::find(request.entries.begin(), request.entries.end(), "k<5>") != request.entries.end();
    std::vector<CompileResult> results = stub_.compile(request);
    for (CompileResult& result : results)
      if (bad) result = {result.entry, nullptr, "too long", "", false, false, CompileFault::timed_out};
    return results;
  }
  std::string identity() const override { return "exhausted"; }
  std::string version() const override { return "13.0"; }
  std::string headers_hash() const override { return "none"; }
  bool supports(const std::string&) const override { return true; }
  const StubCompiler& stub() const { return stub_; }

 private:
  StubCompiler stub_;
};

// A limit costs its whole time whenever it is met: with the batch, and with the culprit alone.
TEST(KernelBuilder, ALimitIsMetTwiceAndNotOncePerHalving) {
  const auto compiler = std::make_shared<Exhausted>();
  const auto results = KernelBuilder(compiler, options(2, 24)).build(request(24));
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].kernel == nullptr, i == 5) << i;
  EXPECT_EQ(results[5].fault, CompileFault::timed_out);
  int met = 0;
  for (const auto& program : compiler->stub().programs())
    met += std::find(program.begin(), program.end(), "k<5>") != program.end() ? 1 : 0;
  EXPECT_EQ(met, 2);
}

TEST(KernelBuilder, BrokenSourceIsNotSplit) {
  const auto compiler = std::make_shared<BrokenSource>();
  KernelBuilder builder(compiler, options(1, 10));
  EXPECT_EQ(builder.build(request(100)).at(99).error, "error");
  EXPECT_EQ(compiler->programs, 10);
  EXPECT_EQ(builder.counts().failed, 100);
}

TEST(KernelBuilder, ProgressGrowsToTheEnd) {
  const auto compiler = std::make_shared<StubCompiler>();
  compiler->fail_entries("k<7>", "bad");
  std::vector<std::size_t> seen;
  KernelBuilder(compiler, options(4, 4)).build(request(30), [&](std::size_t done) { seen.push_back(done); });
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 30u);
}

TEST(KernelBuilder, WhatTheCompilerThrowsReachesTheCaller) {
  KernelBuilder builder(std::make_shared<Throwing>(), options(4, 2));
  try {
    builder.build(request(40));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
  }
}

TEST(KernelBuilder, WhatProgressThrowsReachesTheCaller) {
  KernelBuilder builder(std::make_shared<StubCompiler>(), options(4, 2));
  EXPECT_THROW(builder.build(request(40), [](std::size_t) { throw std::runtime_error("stop"); }),
               std::runtime_error);
}

TEST(KernelBuilder, RealCompilerSplitsARealBatch) {
  CompileRequest asked = request(0);
  asked.source = R"cuda(
template <int N> __global__ void k(float* p) {
  static_assert(N != 4, "not four");
  __shared__ float s[N];
  s[threadIdx.x % N] = *p;
  __syncthreads();
  *p = s[0];
})cuda";
  asked.entries = {"k<1>", "k<4>", "k<8>", "k<20000>", "nope<1>", "k<16>"};
  const auto results = KernelBuilder(open_nvrtc(), options(2, 6)).build(asked);
  for (const std::size_t good : {0u, 2u, 5u}) {
    ASSERT_TRUE(results[good].kernel) << results[good].log;
    EXPECT_EQ(results[good].kernel->traits.static_shared_bytes, good == 0 ? 4 : good == 2 ? 32 : 64);
  }
  EXPECT_EQ(results[1].error, "unit.cu(3): error: static assertion failed with \"not four\"");
  EXPECT_NE(results[3].error.find("too much shared data"), std::string::npos) << results[3].error;
  EXPECT_NE(results[4].error.find("\"nope\" is undefined"), std::string::npos) << results[4].error;
}

}  // namespace
}  // namespace warptune::runtime
