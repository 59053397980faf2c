// The hit path allocates nothing and asks the driver nothing: counted, on a device that only forwards.
// Replaces the global operator new of this executable.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "tests/runtime/dispatch_fixture.hpp"

namespace {
std::atomic<std::size_t> allocations = 0;
}  // namespace

// Every form is replaced, so that none escapes the count and memory goes back the way it came.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes > 0 ? bytes : 1);
}
void* operator new(std::size_t bytes) {
  if (void* const memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto step = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(step, (bytes + step) / step * step);  // a multiple of the alignment, above zero
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  if (void* const memory = operator new(bytes, alignment, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace warptune::testing {
namespace {

using namespace runtime;  // every member of Device is spelled below

// Forwards to a stub; once quiet, counts launches and fills instead, and notes every other call.
class QuietDevice final : public Device {
 public:
  explicit QuietDevice(std::shared_ptr<StubDevice> stub) : stub_(std::move(stub)) {}
  void be_quiet() { quiet_ = true; }
  std::size_t launches = 0, fills = 0, other_calls = 0;

  const DeviceInfo& info() const override { return stub_->info(); }
  void make_current() override { other().make_current(); }
  DevicePointer allocate(std::size_t bytes) override { return other().allocate(bytes); }
  void release(DevicePointer pointer) noexcept override { stub_->release(pointer); }
  std::size_t free_bytes() override { return other().free_bytes(); }
  void copy_to_device(DevicePointer to, const void* from, std::size_t bytes) override {
    other().copy_to_device(to, from, bytes);
  }
  void copy_to_host(void* to, DevicePointer from, std::size_t bytes) override {
    other().copy_to_host(to, from, bytes);
  }
  void copy_on_device(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream) override {
    other().copy_on_device(to, from, bytes, stream);
  }
  void fill(DevicePointer to, std::uint8_t byte, std::size_t bytes, StreamHandle stream) override {
    ++fills;
    if (!quiet_) stub_->fill(to, byte, bytes, stream);
  }
  std::unique_ptr<LoadedModule> load(std::span<const std::byte> image) override {
    return other().load(image);
  }
  void allow_shared_bytes(FunctionHandle function, std::uint32_t bytes) override {
    other().allow_shared_bytes(function, bytes);
  }
  void launch(FunctionHandle function, const LaunchShape& shape, StreamHandle stream,
              void** arguments) override {
    ++launches;
    if (!quiet_) stub_->launch(function, shape, stream, arguments);
  }
  StreamHandle create_stream() override { return other().create_stream(); }
  void destroy_stream(StreamHandle stream) noexcept override { stub_->destroy_stream(stream); }
  void synchronize(StreamHandle stream) override { other().synchronize(stream); }
  bool is_capturing(StreamHandle stream) override { return other().is_capturing(stream); }
  void begin_capture(StreamHandle stream) override { other().begin_capture(stream); }
  std::unique_ptr<Graph> end_capture(StreamHandle stream) override { return other().end_capture(stream); }
  EventHandle create_event() override { return other().create_event(); }
  void destroy_event(EventHandle event) noexcept override { stub_->destroy_event(event); }
  void record(EventHandle event, StreamHandle stream) override { other().record(event, stream); }
  double elapsed_ns(EventHandle from, EventHandle to) override { return other().elapsed_ns(from, to); }

 private:
  StubDevice& other() {
    ++other_calls;
    return *stub_;
  }
  std::shared_ptr<StubDevice> stub_;
  bool quiet_ = false;
};

class HitPath : public DispatchTest {
 protected:
  OnMiss on_miss_ = OnMiss::nearest;
  void expect_quiet_launches(const std::string& mode, std::size_t kernels_per_launch) {
    store({tally_winner({.config = tally_config(32, 1, mode)})});
    const auto device = std::make_shared<QuietDevice>(device_);
    RuntimeOptions options;
    options.cache_folder = folder_ / "cache";
    options.compiler = compiler_;
    options.warn = [](const std::string&) {};
    options.on_miss = on_miss_;
    auto runtime = Runtime::open(database(), options, device);
    const auto kernel = this->kernel(runtime);
    const TallyOperands operands(*device_, 2048);
    const std::vector<void*> pointers = operands.pointers();
    const std::int64_t tuned[] = {1024, 1};
    const std::int64_t nearest[] = {2000, 1};
    const std::int64_t fallback[] = {1024, 2};
    for (const auto& dims : {tuned, nearest, fallback}) kernel.launch(legacy_stream, {dims, 2}, pointers);

    device->be_quiet();
    device->launches = device->fills = device->other_calls = 0;
    const std::size_t before = allocations;
    for (int call = 0; call < 1000; ++call) {
      kernel.launch(legacy_stream, tuned, pointers);
      kernel.launch(legacy_stream, nearest, pointers);
      kernel.launch(legacy_stream, fallback, pointers);
    }
    EXPECT_EQ(allocations - before, 0U);
    EXPECT_EQ(device->launches, 1000 * (2 * kernels_per_launch + 1));
    EXPECT_EQ(device->fills, 3000U);  // the plan's own memset
    EXPECT_EQ(device->other_calls, 0U);
  }
};

TEST_F(HitPath, OneKernel) { expect_quiet_launches("one", 1); }
TEST_F(HitPath, SeveralStepsWithAWorkspace) { expect_quiet_launches("two", 2); }
TEST_F(HitPath, MissesThatAreWrittenDown) {
  on_miss_ = OnMiss::record;
  expect_quiet_launches("one", 1);
}
TEST_F(HitPath, ACounter) { expect_quiet_launches("ticket", 1); }

TEST_F(HitPath, TypedOperandsAndOneLineCalls) {
  device_->define<const float*, const float*, float*, float*, unsigned int*, long long, int>(
      "dot", [](const StubLaunch&, auto...) {});
  device_->define<const float*, float*, long long>("dot_finish", [](const StubLaunch&, auto...) {});
  const auto device = std::make_shared<QuietDevice>(device_);
  RuntimeOptions options;
  options.cache_folder = folder_ / "cache";
  options.compiler = compiler_;
  options.warn = [](const std::string&) {};
  auto runtime = Runtime::open(database(), options, device);
  const auto kernel = this->kernel(runtime);
  const TallyOperands memory(*device_, 1024);
  const auto* const x = static_cast<const float*>(memory.pointers()[0]);
  auto* const y = static_cast<float*>(memory.pointers()[1]);
  const std::int64_t dims[] = {1024, 1};
  const auto both = [&] {
    kernel.launch(legacy_stream, dims, operands(x, y));
    dot(runtime, x, x, y, 64);
  };
  both();

  device->be_quiet();
  device->launches = device->other_calls = 0;
  const std::size_t before = allocations;
  for (int call = 0; call < 1000; ++call) both();
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_GE(device->launches, 2000U);
  EXPECT_EQ(device->other_calls, 0U);
}

TEST_F(HitPath, TheCounterOfAllocationsCounts) {
  const std::size_t before = allocations;
  const auto number = std::make_unique<int>(1);
  EXPECT_EQ(allocations - before, 1U);
}

}  // namespace
}  // namespace warptune::testing
