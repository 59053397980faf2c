// The runtime on a real GPU: dot through the dispatcher in a borrowed context, with rows that the test writes.
#include <unistd.h>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/db/store.hpp>
#include <warptune/runtime/capture_scope.hpp>
#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/runtime/runtime.hpp>
#include <warptune/spec/catalog.hpp>

namespace warptune::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class GpuDispatch : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (cuda_device_count(&why) == 0) GTEST_SKIP() << "no GPU: " << why;
    owner_ = open_cuda_device(0);  // makes a context current, which the runtime then borrows
    folder_ =
        std::filesystem::temp_directory_path() / ("warptune-gpu-dispatch-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  void store_winner(std::int64_t n, std::int64_t pack, const std::string& finish) {
    spec::Problem problem;
    problem.types = {{"T", "float"}};
    problem.dims = {{"n", n}};
    const spec::Instance instance(spec::find_template("dot"), problem, owner_->info().traits);
    db::WinnerRecord winner;
    winner.config = {{"NUM_THREADS", 256}, {"PACK", pack},      {"UNROLL", 4},
                     {"BLOCKS_PER_SM", 2}, {"MULTIPLY", "f32"}, {"FINISH", finish}};
    winner.alignment_bytes = static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(4 * pack)));
    winner.verified_ragged = true;
    winner.time_ns = 1000;
    winner.default_config = stored_config(instance.spec(), instance.spec().default_config);
    db::Store file = db::Store::open(folder_ / "tuning.db", db::OpenMode::create);
    const std::int64_t run = file.begin_run(problem_key(instance, "cold"), {});
    file.end_run(run, {}, {winner});
  }

  Runtime open() {
    RuntimeOptions options;
    options.cache_folder = folder_ / "cache";
    options.warn = [this](const std::string& line) { lines_.push_back(line); };
    return Runtime::open(folder_ / "tuning.db", options);
  }

  // n small whole numbers, whose products' sum float holds exactly, `offset` elements into an allocation.
  DeviceBuffer upload(std::int64_t n, std::int64_t offset, int period) {
    std::vector<float> values(static_cast<std::size_t>(n + offset));
    for (std::int64_t i = 0; i < n; ++i)
      values[static_cast<std::size_t>(i + offset)] = static_cast<float>(i % period);
    DeviceBuffer buffer(*owner_, values.size() * sizeof(float) + 1);
    owner_->copy_to_device(buffer.get(), values.data(), values.size() * sizeof(float));
    return buffer;
  }
  static double expected(std::int64_t n) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>((i % 3) * (i % 2));
    return sum;
  }
  float read(const DeviceBuffer& y) {
    float value = NAN;
    owner_->copy_to_host(&value, y.get(), sizeof(value));
    return value;
  }
  static float* at(const DeviceBuffer& buffer, std::int64_t offset = 0) {
    return reinterpret_cast<float*>(buffer.get()) + offset;
  }
  template <typename T>
  static T* as(const DeviceBuffer& buffer) {
    return reinterpret_cast<T*>(buffer.get());
  }

  std::unique_ptr<Device> owner_;
  std::filesystem::path folder_;
  std::vector<std::string> lines_;
};

TEST_F(GpuDispatch, DefaultGivesRightResultsAtAnyLength) {
  auto runtime = open();
  const DeviceBuffer y(*owner_, sizeof(float));
  for (const std::int64_t n : {0, 1, 2, 31, 33, 255, 257, 4097, 100'003, 3'000'001}) {
    const DeviceBuffer a = upload(n, 0, 3);
    const DeviceBuffer b = upload(n, 0, 2);
    EXPECT_EQ(dot(runtime, at(a), at(b), at(y), n), Match::default_config);
    owner_->synchronize(legacy_stream);
    EXPECT_EQ(read(y), expected(n)) << n;
  }
}

TEST_F(GpuDispatch, H19EveryPairOfOffsetsIsServed) {
  constexpr std::int64_t n = 100'003;
  for (const std::int64_t pack : {1, 2, 4}) store_winner(n, pack, pack == 4 ? "last_block" : "two_pass");
  auto runtime = open();
  const auto kernel = runtime.kernel("dot", {{"T", "float"}});
  const DeviceBuffer y(*owner_, sizeof(float));
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t j = 0; j < 8; ++j) {
      const DeviceBuffer a = upload(n, i, 3);
      const DeviceBuffer b = upload(n, j, 2);
      const std::int64_t dims[] = {n};
      void* const pointers[] = {at(a, i), at(b, j), at(y)};
      EXPECT_EQ(kernel.launch(legacy_stream, dims, pointers), Match::tuned);
      owner_->synchronize(legacy_stream);
      EXPECT_EQ(read(y), expected(n)) << i << " " << j;
    }
  }
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(GpuDispatch, H17CaptureNeedsPreparationAndReplaysSeeNewData) {
  constexpr std::int64_t n = 1'000'000;
  store_winner(n, 4, "two_pass");
  auto runtime = open();
  const auto kernel = runtime.kernel("dot", {{"T", "float"}});
  const DeviceBuffer a = upload(n, 0, 3);
  const DeviceBuffer b = upload(n, 0, 2);
  const DeviceBuffer y(*owner_, sizeof(float));
  const std::int64_t dims[] = {n};
  void* const pointers[] = {at(a), at(b), at(y)};
  const StreamHandle stream = owner_->create_stream();

  owner_->begin_capture(stream);
  EXPECT_THROW(kernel.launch(stream, dims, pointers), Error);
  EXPECT_NO_THROW(owner_->end_capture(stream));

  kernel.prepare(stream, dims);
  owner_->begin_capture(stream);
  EXPECT_EQ(kernel.launch(stream, dims, pointers), Match::tuned);
  const auto graph = owner_->end_capture(stream);
  graph->launch(stream);
  owner_->synchronize(stream);
  EXPECT_EQ(read(y), expected(n));
  owner_->fill(a.get(), 0, n * sizeof(float), stream);
  graph->launch(stream);
  owner_->synchronize(stream);
  EXPECT_EQ(read(y), 0.0f);
  owner_->destroy_stream(stream);
}

TEST_F(GpuDispatch, GraphsOfScopesReplayedAtOnceShareNothing) {
  constexpr std::int64_t n = 1'000'000;
  for (const char* finish : {"two_pass", "last_block"}) {
    std::filesystem::remove(folder_ / "tuning.db");
    store_winner(n, 4, finish);
    auto runtime = open();
    const auto kernel = runtime.kernel("dot", {{"T", "float"}});
    const DeviceBuffer a = upload(n, 0, 3);
    const DeviceBuffer b = upload(n, 0, 2);
    const DeviceBuffer y[] = {{*owner_, sizeof(float)}, {*owner_, sizeof(float)}};
    const std::int64_t dims[] = {n};
    const StreamHandle stream = owner_->create_stream();
    const StreamHandle replays[] = {owner_->create_stream(), owner_->create_stream()};
    {
      std::vector<CaptureScope> scopes;
      std::vector<std::unique_ptr<Graph>> graphs;
      for (int i = 0; i < 2; ++i) {
        void* const pointers[] = {at(a), at(b), at(y[i])};
        // The first is prepared before the capture begins, and compiles; the second while it goes on, and allocates.
        if (i == 1) owner_->begin_capture(stream);
        scopes.emplace_back(runtime, stream);
        scopes.back().prepare(kernel, dims);
        if (i == 0) owner_->begin_capture(stream);
        EXPECT_EQ(kernel.launch(stream, dims, pointers), Match::tuned);
        graphs.push_back(owner_->end_capture(stream));
        scopes.back().end();
      }
      for (int round = 0; round < 200; ++round)
        for (std::size_t i = 0; i < 2; ++i) graphs[i]->launch(replays[i]);
      for (const StreamHandle replay : replays) owner_->synchronize(replay);
      for (const DeviceBuffer& result : y) EXPECT_EQ(read(result), expected(n)) << finish;
    }
    for (const StreamHandle each : {stream, replays[0], replays[1]}) owner_->destroy_stream(each);
  }
  EXPECT_THAT(lines_, IsEmpty());
}

// A first use of all, compiled, loaded and allocated while the stream is captured.
TEST_F(GpuDispatch, AScopeCompilesInACapture) {
  constexpr std::int64_t n = 300'000;
  store_winner(n, 4, "two_pass");
  auto runtime = open();
  const auto kernel = runtime.kernel("dot", {{"T", "float"}});
  const DeviceBuffer a = upload(n, 0, 3), b = upload(n, 0, 2), y(*owner_, sizeof(float));
  const std::int64_t dims[] = {n};
  void* const pointers[] = {at(a), at(b), at(y)};
  const StreamHandle stream = owner_->create_stream();
  owner_->begin_capture(stream);
  CaptureScope scope(runtime, stream);
  scope.prepare(kernel, dims);
  EXPECT_EQ(kernel.launch(stream, dims, pointers), Match::tuned);
  const auto graph = owner_->end_capture(stream);
  scope.end();
  graph->launch(stream);
  owner_->synchronize(stream);
  EXPECT_EQ(read(y), expected(n));
  owner_->destroy_stream(stream);
}

TEST_F(GpuDispatch, TheDriverKnowsTheParametersOfAKernel) {
  if (owner_->info().driver_version < 12040) GTEST_SKIP() << "drivers before 12.4 do not say";
  KernelBuilder builder(open_nvrtc(), {folder_ / "cache", 1});
  CompileRequest request;
  request.source =
      "template <int k> __global__ void mixed(const float* x, int i, double d, char c, long long n) {}";
  request.program_name = "mixed.cu";
  request.entries = {"mixed<1>"};
  request.architecture = owner_->info().architecture();
  const CompileResult result = builder.build(request).front();
  ASSERT_NE(result.kernel, nullptr) << result.error;
  const auto module = owner_->load(*result.kernel->image);
  EXPECT_EQ(module->parameter_bytes(result.kernel->lowered_name), (std::vector<std::size_t>{8, 4, 8, 1, 8}));
}

TEST_F(GpuDispatch, ThreadsOnStreamsOfTheirOwnAndOnOne) {
  constexpr std::int64_t n = 500'000;
  store_winner(n, 4, "two_pass");
  auto runtime = open();
  const auto kernel = runtime.kernel("dot", {{"T", "float"}});
  const DeviceBuffer a = upload(n, 0, 3);
  const DeviceBuffer b = upload(n, 0, 2);
  const double right = expected(n);
  for (const bool shared : {false, true}) {
    std::vector<StreamHandle> streams;
    std::vector<DeviceBuffer> results;
    for (int thread = 0; thread < 8; ++thread) {
      streams.push_back(shared && thread > 0 ? streams[0] : owner_->create_stream());
      results.emplace_back(*owner_, sizeof(float));
    }
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&, thread] {
        owner_->make_current();
        const std::int64_t dims[] = {n};
        void* const pointers[] = {at(a), at(b), at(results[thread])};
        for (int call = 0; call < 200; ++call) kernel.launch(streams[thread], dims, pointers);
        owner_->synchronize(streams[thread]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const DeviceBuffer& result : results) EXPECT_EQ(read(result), right);
    for (std::size_t thread = 0; thread < (shared ? 1U : 8U); ++thread)
      owner_->destroy_stream(streams[thread]);
  }
}

TEST_F(GpuDispatch, H04AWinnerThatDoesNotFitGivesWay) {
  constexpr std::int64_t n = 4096;
  store_winner(n, 3, "two_pass");  // a pack outside the list
  auto runtime = open();
  const DeviceBuffer a = upload(n, 0, 3);
  const DeviceBuffer b = upload(n, 0, 2);
  const DeviceBuffer y(*owner_, sizeof(float));
  for (int call = 0; call < 3; ++call) EXPECT_EQ(dot(runtime, at(a), at(b), at(y), n), Match::default_config);
  owner_->synchronize(legacy_stream);
  EXPECT_EQ(read(y), expected(n));
  ASSERT_THAT(lines_, SizeIs(2));
  EXPECT_THAT(lines_[0], HasSubstr("PACK"));
  EXPECT_THAT(lines_[1], HasSubstr("warptune tune dot --types T=f32 --dims n=4096"));
}

TEST_F(GpuDispatch, HalfAndBfloat16) {
  auto runtime = open();
  constexpr std::int64_t n = 10'007;
  const DeviceBuffer y(*owner_, sizeof(float));
  // Every element is 1.5 in its own format; the sum of n products of 2.25 is exact in float.
  const auto constant = [&](std::uint16_t bits) {
    const std::vector<std::uint16_t> values(n, bits);
    DeviceBuffer buffer(*owner_, n * 2);
    owner_->copy_to_device(buffer.get(), values.data(), n * 2);
    return buffer;
  };
  const DeviceBuffer half = constant(0x3e00);
  const DeviceBuffer bf16 = constant(0x3fc0);
  dot(runtime, as<__half>(half), as<__half>(half), at(y), n);
  owner_->synchronize(legacy_stream);
  EXPECT_EQ(read(y), 2.25f * n);
  dot(runtime, as<__nv_bfloat16>(bf16), as<__nv_bfloat16>(bf16), at(y), n);
  owner_->synchronize(legacy_stream);
  EXPECT_EQ(read(y), 2.25f * n);
}

}  // namespace
}  // namespace warptune::runtime
