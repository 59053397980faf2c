// The CUDA device on a real GPU: load, launch, capture, replay, time, memory, errors, borrowing. Skips itself without one.
#include <warptune/runtime/device.hpp>

#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <warptune/base/error.hpp>
#include <warptune/runtime/compiler.hpp>

namespace warptune::runtime {
namespace {

const char* const source = R"cuda(
extern "C" __global__ void add(float* y, const float* x, float c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] + c;
}
extern "C" __global__ void increment(int* counter) { atomicAdd(counter, 1); }
extern "C" __global__ void last_byte(unsigned* out, unsigned bytes) {
  extern __shared__ unsigned char scratch[];
  scratch[bytes - 1] = 42;
  __syncthreads();
  *out = scratch[bytes - 1];
}
extern "C" __global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {}
}
extern "C" __global__ void crash(int* p) { *p = 1; }
)cuda";

class GpuDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (cuda_device_count(&why) == 0) GTEST_SKIP() << "no GPU: " << why;
    device_ = open_cuda_device(0);
    module_ = device_->load(*image());
  }
  void TearDown() override {
    module_.reset();
    device_.reset();
  }

  // Compiled once; holds every kernel above.
  static Image image() {
    static const Image compiled = [] {
      CompileRequest request;
      request.source = source;
      request.program_name = "device_test.cu";
      request.entries = {"add", "increment", "last_byte", "spin", "crash"};
      request.architecture = open_cuda_device(0)->info().architecture();
      const auto results = open_nvrtc()->compile(request);
      EXPECT_TRUE(results[0].kernel) << results[0].log;
      return results[0].kernel->image;
    }();
    return compiled;
  }
  template <class... Args>
  void launch(const std::string& name, Dim3 grid, Dim3 block, std::uint32_t shared_bytes, StreamHandle stream,
              Args... values) {
    void* arguments[] = {&values...};
    device_->launch(module_->function(name), {grid, block, shared_bytes}, stream, arguments);
  }
  int read_int(const DeviceBuffer& buffer) {
    int value = 0;
    device_->copy_to_host(&value, buffer.get(), sizeof value);
    return value;
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<LoadedModule> module_;
};

constexpr StreamHandle legacy{0};

TEST_F(GpuDevice, InfoIsPlausible) {
  const DeviceInfo& info = device_->info();
  EXPECT_EQ(info.label, "cuda:0");
  EXPECT_FALSE(info.traits.model.empty());
  EXPECT_EQ(info.architecture(), "sm_" + std::to_string(info.traits.compute_capability));
  EXPECT_GE(info.driver_version, 12000);
  EXPECT_FALSE(info.driver_name.empty());
  EXPECT_GT(info.traits.sm_count, 0);
  EXPECT_EQ(info.traits.warp_size, 32);
  EXPECT_GE(info.traits.max_shared_bytes, 48 * 1024);
  EXPECT_GE(info.traits.shared_bytes_per_sm, info.traits.max_shared_bytes);
  EXPECT_GT(info.traits.l2_bytes, 0);
  EXPECT_GE(info.traits.memory_bytes, std::int64_t{1} << 30);
  RecordProperty("device", info.traits.model + ", driver " + info.driver_name);
}

TEST_F(GpuDevice, LaunchReadsItsArguments) {
  std::vector<float> x(10000);
  std::iota(x.begin(), x.end(), 0.0f);
  const DeviceBuffer in(*device_, x.size() * sizeof(float));
  const DeviceBuffer out(*device_, x.size() * sizeof(float));
  device_->copy_to_device(in.get(), x.data(), in.bytes());
  launch("add", {7, 1, 1}, {128, 1, 1}, 0, legacy, out.get(), in.get(), 0.5f, 10000);
  std::vector<float> y(x.size());
  device_->copy_to_host(y.data(), out.get(), out.bytes());
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], static_cast<float>(i) + 0.5f);
}

TEST_F(GpuDevice, FillAndCopyFollowTheStream) {
  const DeviceBuffer a(*device_, 4096), b(*device_, 4096);
  const StreamHandle stream = device_->create_stream();
  device_->fill(a.get(), 0xab, 4096, stream);
  device_->copy_on_device(b.get(), a.get(), 4096, stream);
  device_->synchronize(stream);
  std::vector<unsigned char> bytes(4096);
  device_->copy_to_host(bytes.data(), b.get(), bytes.size());
  EXPECT_EQ(bytes, std::vector<unsigned char>(4096, 0xab));
  EXPECT_NO_THROW(device_->fill(a.get(), 1, 0, stream));
  device_->destroy_stream(stream);
}

TEST_F(GpuDevice, GraphReplaysItsCapture) {
  const DeviceBuffer counter(*device_, sizeof(int));
  const StreamHandle stream = device_->create_stream();
  device_->fill(counter.get(), 0, sizeof(int), stream);
  EXPECT_FALSE(device_->is_capturing(stream));
  device_->begin_capture(stream);
  EXPECT_TRUE(device_->is_capturing(stream));
  for (int i = 0; i < 10; ++i) launch("increment", {1, 1, 1}, {32, 1, 1}, 0, stream, counter.get());
  // Memory may come and go while this thread captures.
  { const DeviceBuffer scratch(*device_, 1 << 20); }
  const auto graph = device_->end_capture(stream);
  EXPECT_FALSE(device_->is_capturing(stream));
  device_->synchronize(stream);
  EXPECT_EQ(read_int(counter), 0);
  for (int i = 0; i < 3; ++i) graph->launch(stream);
  device_->synchronize(stream);
  EXPECT_EQ(read_int(counter), 3 * 10 * 32);
  device_->destroy_stream(stream);
}

TEST_F(GpuDevice, InvalidatedCaptureIsACaptureErrorAndLeavesTheStreamUsable) {
  const StreamHandle stream = device_->create_stream();
  device_->begin_capture(stream);
  EXPECT_THROW(device_->synchronize(stream), Error);
  try {
    device_->end_capture(stream);
    FAIL() << "the capture survived";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::capture) << error.what();
  }
  EXPECT_NO_THROW(device_->synchronize(stream));
  EXPECT_THROW(device_->begin_capture(legacy), Error);
  device_->destroy_stream(stream);
}

TEST_F(GpuDevice, EventsTimeWhatLiesBetweenThem) {
  const EventHandle from = device_->create_event(), to = device_->create_event();
  const auto spin_ns = [&](long long cycles) {
    device_->record(from, legacy);
    launch("spin", {1, 1, 1}, {1, 1, 1}, 0, legacy, cycles);
    device_->record(to, legacy);
    return device_->elapsed_ns(from, to);
  };
  spin_ns(1000);
  const double short_ns = spin_ns(1'000'000);
  const double long_ns = spin_ns(10'000'000);
  // SM clocks of all supported cards lie between 0.1 and 10 GHz.
  EXPECT_GT(short_ns, 1e5);
  EXPECT_LT(short_ns, 1e7);
  EXPECT_GT(long_ns, 4 * short_ns);
  device_->destroy_event(from);
  device_->destroy_event(to);
}

TEST_F(GpuDevice, MemoryComesBack) {
  const std::size_t before = device_->free_bytes();
  {
    DeviceBuffer buffer(*device_, std::size_t{256} << 20);
    EXPECT_LE(device_->free_bytes() + (std::size_t{256} << 20), before + (std::size_t{2} << 20));
    DeviceBuffer moved(std::move(buffer));
    EXPECT_EQ(buffer.get(), 0u);  // NOLINT: a moved-from buffer is empty
  }
  EXPECT_GE(device_->free_bytes() + (std::size_t{2} << 20), before);
  try {
    device_->allocate(std::size_t{1} << 46);
    FAIL() << "64 TiB allocated";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
    EXPECT_EQ(error.native_code(), 2);
  }
  EXPECT_NO_THROW(DeviceBuffer(*device_, 1024));
  EXPECT_NO_THROW(DeviceBuffer(*device_, 0));
}

TEST_F(GpuDevice, DynamicSharedMemoryBeyond48KiBNeedsLeave) {
  const auto bytes = static_cast<std::uint32_t>(device_->info().traits.max_shared_bytes);
  if (bytes <= 48 * 1024) GTEST_SKIP() << "this card has no more than 48 KiB";
  const DeviceBuffer out(*device_, sizeof(unsigned));
  EXPECT_THROW(launch("last_byte", {1, 1, 1}, {1, 1, 1}, bytes, legacy, out.get(), bytes), Error);
  device_->allow_shared_bytes(module_->function("last_byte"), bytes);
  launch("last_byte", {1, 1, 1}, {1, 1, 1}, bytes, legacy, out.get(), bytes);
  EXPECT_EQ(read_int(out), 42);
  EXPECT_THROW(device_->allow_shared_bytes(module_->function("last_byte"), bytes + 1), Error);
}

TEST_F(GpuDevice, WrongUseIsAnErrorThatLeavesTheContextWhole) {
  try {
    module_->function("no_such_kernel");
    FAIL() << "found";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
  }
  EXPECT_THROW(launch("increment", {0, 1, 1}, {32, 1, 1}, 0, legacy, DevicePointer{0}), Error);
  EXPECT_THROW(launch("increment", {1, 1, 1}, {2048, 1, 1}, 0, legacy, DevicePointer{0}), Error);
  const std::vector<std::byte> noise(4096, std::byte{0x5a});
  EXPECT_THROW(device_->load(noise), Error);
  EXPECT_THROW(device_->load(std::span(*image()).first(image()->size() / 2)), Error);
  EXPECT_NO_THROW(device_->synchronize(legacy));
}

TEST_F(GpuDevice, LaunchesFromSeveralThreads) {
  const DeviceBuffer counter(*device_, sizeof(int));
  device_->fill(counter.get(), 0, sizeof(int), legacy);
  device_->synchronize(legacy);
  const FunctionHandle increment = module_->function("increment");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      device_->make_current();
      DevicePointer pointer = counter.get();
      void* arguments[] = {&pointer};
      for (int round = 0; round < 200; ++round)
        device_->launch(increment, {{1, 1, 1}, {32, 1, 1}}, legacy, arguments);
    });
  }
  threads.clear();
  device_->synchronize(legacy);
  EXPECT_EQ(read_int(counter), 4 * 200 * 32);
}

TEST_F(GpuDevice, BorrowingUsesTheCurrentContextAndLeavesIt) {
  // A thread of its own has no context until its owner makes one current.
  std::jthread([&] {
    EXPECT_THROW(borrow_current_cuda_device(), Error);
    device_->make_current();
    const auto borrowed = borrow_current_cuda_device();
    EXPECT_EQ(borrowed->info().label, device_->info().label);
    const DeviceBuffer counter(*borrowed, sizeof(int));
    borrowed->fill(counter.get(), 0, sizeof(int), legacy);
    const auto module = borrowed->load(*image());
    DevicePointer pointer = counter.get();
    void* arguments[] = {&pointer};
    borrowed->launch(module->function("increment"), {{1, 1, 1}, {32, 1, 1}}, legacy, arguments);
    int value = 0;
    borrowed->copy_to_host(&value, counter.get(), sizeof value);
    EXPECT_EQ(value, 32);
  }).join();
  EXPECT_NO_THROW(device_->synchronize(legacy));
}

TEST_F(GpuDevice, OrdinalOutOfRangeSaysHowManyThereAre) {
  try {
    open_cuda_device(1000);
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::no_device);
    EXPECT_NE(std::string(error.what()).find("this process sees " + std::to_string(cuda_device_count())),
              std::string::npos)
        << error.what();
  }
}

// Last in the file's own process: the primary context does not survive.
TEST_F(GpuDevice, IllegalAccessIsReportedAndDestructorsStayQuiet) {
  const StreamHandle stream = device_->create_stream();
  {
    const DeviceBuffer buffer(*device_, 64);
    launch("crash", {1, 1, 1}, {1, 1, 1}, 0, stream, DevicePointer{16});
    try {
      device_->synchronize(stream);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::cuda);
      EXPECT_EQ(error.native_code(), 700) << error.what();
      EXPECT_TRUE(context_is_lost(error));
    }
    EXPECT_THROW(device_->free_bytes(), Error);
  }
  device_->destroy_stream(stream);
}

}  // namespace
}  // namespace warptune::runtime
