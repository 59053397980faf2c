// The stub device keeps the promises that other tests build on.
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/stub_compiler.hpp"
#include "tests/support/stub_device.hpp"

namespace warptune::testing {
namespace {

using runtime::DeviceBuffer;
using runtime::FunctionHandle;
using runtime::StreamHandle;

constexpr StreamHandle legacy{0};
const Error illegal_address(ErrorKind::cuda, "illegal address", {}, 700);

class Stub : public ::testing::Test {
 protected:
  void SetUp() override {
    device_.define<const float*, float*, long long>(
        "sum", [](const StubLaunch&, const float* x, float* y, long long n) {
          *y = std::accumulate(x, x + n, 0.0f);
        });
    device_.set_cost("sum", [](const StubLaunch& launch) { return 100.0 * launch.grid.x; });
    module_ = device_.load(stub_image({"sum<float, 4>"}));
    sum_ = module_->function("sum<float, 4>");
    x_ = DeviceBuffer(device_, 4 * sizeof(float));
    y_ = DeviceBuffer(device_, sizeof(float));
    upload({1, 2, 3, 4});
  }
  void upload(std::vector<float> values) {
    device_.copy_to_device(x_.get(), values.data(), 4 * sizeof(float));
  }
  void launch(StreamHandle stream, std::uint32_t grid = 1) {
    auto x = x_.get();
    auto y = y_.get();
    long long n = 4;
    void* arguments[] = {&x, &y, &n};
    device_.launch(sum_, {{grid, 1, 1}, {32, 1, 1}, 0}, stream, arguments);
  }
  float result() {
    float value = 0;
    device_.copy_to_host(&value, y_.get(), sizeof value);
    return value;
  }

  StubDevice device_;
  std::unique_ptr<runtime::LoadedModule> module_;
  FunctionHandle sum_{};
  DeviceBuffer x_, y_;
};

TEST_F(Stub, RunsTheBodyAndTheClock) {
  const auto from = device_.create_event();
  const auto to = device_.create_event();
  device_.record(from, legacy);
  launch(legacy, 3);
  launch(legacy, 2);
  device_.record(to, legacy);
  EXPECT_EQ(result(), 10);
  EXPECT_EQ(device_.elapsed_ns(from, to), 500);
  EXPECT_EQ(device_.launch_count(), 2u);
  device_.destroy_event(from);
  device_.destroy_event(to);
  EXPECT_TRUE(device_.faults().empty());
}

TEST_F(Stub, GraphKeepsArgumentsOfItsCapture) {
  const StreamHandle stream = device_.create_stream();
  device_.begin_capture(stream);
  EXPECT_TRUE(device_.is_capturing(stream));
  EXPECT_FALSE(device_.is_capturing(legacy));
  device_.fill(y_.get(), 0, sizeof(float), stream);
  launch(stream);
  const auto graph = device_.end_capture(stream);
  EXPECT_EQ(device_.launch_count(), 0u);
  upload({5, 5, 5, 5});
  graph->launch(stream);
  EXPECT_EQ(result(), 20);
  device_.run_bodies_in_graphs(false);
  upload({1, 1, 1, 1});
  graph->launch(stream);
  EXPECT_EQ(result(), 0);  // only the fill ran
  EXPECT_EQ(device_.launch_count(), 2u);
  device_.destroy_stream(stream);
}

TEST_F(Stub, SynchronizationInvalidatesACapture) {
  const StreamHandle stream = device_.create_stream();
  device_.begin_capture(stream);
  EXPECT_THROW(device_.synchronize(stream), Error);
  EXPECT_THROW(device_.end_capture(stream), Error);
  EXPECT_FALSE(device_.is_capturing(stream));
  EXPECT_THROW(device_.begin_capture(legacy), Error);
}

TEST_F(Stub, CopiesOutsideAllocationsAreRefused) {
  float values[5] = {};
  EXPECT_THROW(device_.copy_to_device(x_.get(), values, 5 * sizeof(float)), Error);
  EXPECT_THROW(device_.copy_to_host(values, x_.get() + 4, 4 * sizeof(float)), Error);
  EXPECT_NO_THROW(device_.copy_to_host(values, x_.get() + 4, 3 * sizeof(float)));
  EXPECT_THROW(device_.fill(y_.get(), 0, 5, legacy), Error);
  const auto freed = device_.allocate(16);
  device_.release(freed);
  EXPECT_THROW(device_.copy_to_host(values, freed, 4), Error);
  device_.release(freed);
  EXPECT_EQ(device_.faults().size(), 1u);
}

TEST_F(Stub, MemoryIsLimitedAndCounted) {
  const std::size_t before = device_.live_bytes();
  device_.set_memory_limit(before + 100);
  EXPECT_EQ(device_.free_bytes(), 100u);
  try {
    device_.allocate(101);
    FAIL() << "allocated";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
  }
  { const DeviceBuffer fits(device_, 100); }
  EXPECT_EQ(device_.live_bytes(), before);
}

TEST_F(Stub, LaunchesBeyondTheLimitsAreRefused) {
  auto x = x_.get();
  void* arguments[] = {&x, &x, &x};
  EXPECT_THROW(device_.launch(sum_, {{0, 1, 1}, {32, 1, 1}, 0}, legacy, arguments), Error);
  EXPECT_THROW(device_.launch(sum_, {{1, 1, 1}, {1024, 2, 1}, 0}, legacy, arguments), Error);
  EXPECT_THROW(device_.launch(sum_, {{1, 1, 1}, {32, 1, 1}, 50000}, legacy, arguments), Error);
  EXPECT_THROW(device_.launch(FunctionHandle{12345}, {{1, 1, 1}, {32, 1, 1}, 0}, legacy, arguments), Error);
  device_.allow_shared_bytes(sum_, 50000);
  device_.run_bodies_in_graphs(true);
  EXPECT_THROW(device_.allow_shared_bytes(sum_, 1000000), Error);
}

TEST_F(Stub, InjectedFailuresComeWhereTheyWereAskedFor) {
  device_.fail_launch(2, Error(ErrorKind::cuda, "second", {}, 701));
  launch(legacy);
  EXPECT_THROW(launch(legacy), Error);
  EXPECT_NO_THROW(launch(legacy));

  device_.fail_kernels("sum<float", illegal_address, StubDevice::When::synchronize);
  EXPECT_NO_THROW(launch(legacy));
  EXPECT_THROW(device_.synchronize(legacy), Error);
  EXPECT_THROW(device_.free_bytes(), Error);  // the context is gone
  device_.recover();
  EXPECT_NO_THROW(device_.free_bytes());
}

TEST_F(Stub, ImagesHoldOnlyTheirKernels) {
  EXPECT_THROW(module_->function("sum<float, 8>"), Error);
  EXPECT_THROW(device_.load({}), Error);
  EXPECT_THROW(device_.load(stub_image({"other"}))->function("other"), Error);  // no body
}

TEST_F(Stub, LoadsWhatTheStubCompilerMakes) {
  StubCompiler compiler;
  compiler.fail_entries("bad", "bad.cu(1): error: bad\nmore");
  runtime::CompileRequest request;
  request.entries = {"sum<half, 2>", "sum<half, 4>"};
  const auto results = compiler.compile(request);
  const auto module = device_.load(*results.at(1).kernel->image);
  EXPECT_NO_THROW(module->function(results.at(0).kernel->lowered_name));
  EXPECT_NO_THROW(module->function(results.at(1).kernel->lowered_name));
  request.entries.push_back("bad<1>");
  for (const auto& result : compiler.compile(request)) {
    EXPECT_FALSE(result.kernel);
    EXPECT_EQ(result.error, "bad.cu(1): error: bad");
  }
}

TEST_F(Stub, LaunchesFromSeveralThreads) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      const DeviceBuffer y(device_, sizeof(float));
      for (int round = 0; round < 100; ++round) {
        auto x = x_.get();
        auto out = y.get();
        long long n = 1 + thread % 4;
        void* arguments[] = {&x, &out, &n};
        device_.launch(sum_, {{1, 1, 1}, {32, 1, 1}, 0}, legacy, arguments);
      }
      float value = 0;
      device_.copy_to_host(&value, y.get(), sizeof value);
      const int n = 1 + thread % 4;
      EXPECT_EQ(value, static_cast<float>(n * (n + 1) / 2));
    });
  }
  threads.clear();
  EXPECT_EQ(device_.launch_count(), 400u);
}

TEST(TemplateArguments, AreTakenApart) {
  EXPECT_EQ(template_arguments("dot<float, 256,4>"), (std::vector<std::string>{"float", "256", "4"}));
  EXPECT_TRUE(template_arguments("plain").empty());
}

}  // namespace
}  // namespace warptune::testing
