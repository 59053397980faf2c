// One runtime on several contexts of real GPUs: each device's primary one, and one made beside it.
#include <dlfcn.h>
#include <unistd.h>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/runtime/contexts.hpp>
#include <warptune/runtime/runtime.hpp>

namespace warptune::runtime {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t n = 100'003;

class GpuContexts : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    count_ = cuda_device_count(&why);
    if (count_ == 0) GTEST_SKIP() << "no GPU: " << why;
    primary_ = open_cuda_device(0);
    folder_ =
        std::filesystem::temp_directory_path() / ("warptune-gpu-contexts-" + std::to_string(::getpid()));
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  Runtime open() {
    RuntimeOptions options;
    options.cache_folder = folder_ / "cache";
    options.warn = [](const std::string&) {};
    return Runtime::open(folder_ / "none.db", options);
  }
  // Of n ones with themselves, in the context that is current, where `device` lies.
  static void expect_right(Device& device, const Kernel& kernel) {
    const std::vector<float> ones(n, 1.0F);
    const DeviceBuffer x(device, n * sizeof(float)), y(device, sizeof(float));
    device.copy_to_device(x.get(), ones.data(), n * sizeof(float));
    const std::int64_t dims[] = {n};
    const auto* const operand = reinterpret_cast<const float*>(x.get());
    for (int call = 0; call < 3; ++call)
      kernel.launch(legacy_stream, dims, operands(operand, operand, reinterpret_cast<float*>(y.get())));
    device.synchronize(legacy_stream);
    float result = 0;
    device.copy_to_host(&result, y.get(), sizeof result);
    EXPECT_EQ(result, static_cast<float>(n));
  }
  static Kernel dot_of(Runtime& runtime) { return runtime.kernel("dot", {{"T", "float"}}); }

  template <typename Function>
  static Function driver(const char* name) {
    void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
    return reinterpret_cast<Function>(::dlsym(library, name));
  }

  int count_ = 0;
  std::unique_ptr<Device> primary_;
  std::filesystem::path folder_;
};

TEST_F(GpuContexts, AThreadHasItsOwnAndTheDriverTellsThemApart) {
  const auto contexts = cuda_contexts();
  const ContextId here = contexts->current();
  EXPECT_NE(here, no_context);
  ContextId there = here;
  std::thread([&] { there = contexts->current(); }).join();
  EXPECT_EQ(there, no_context);
}

TEST_F(GpuContexts, OneRuntimeServesEveryDevice) {
  Runtime runtime = open();
  expect_right(*primary_, dot_of(runtime));
  for (int ordinal = 0; ordinal < count_; ++ordinal) {
    std::thread([&] {
      EXPECT_THROW(dot_of(runtime), Error);  // none is current yet
      const auto device = open_cuda_device(ordinal);
      EXPECT_EQ(runtime.device().info().label, device->info().label);
      expect_right(*device, dot_of(runtime));
    }).join();
  }
}

TEST_F(GpuContexts, OneThatIsDestroyedBeforeTheRuntimeLeavesTheOtherAlone) {
  // As the driver has had them since CUDA 3.2.
  const auto create = driver<int (*)(void**, unsigned, int)>("cuCtxCreate_v2");
  const auto destroy = driver<int (*)(void*)>("cuCtxDestroy_v2");
  const auto set_current = driver<int (*)(void*)>("cuCtxSetCurrent");
  if (create == nullptr || destroy == nullptr || set_current == nullptr)
    GTEST_SKIP() << "this driver makes contexts in another way";
  std::optional<Runtime> runtime = open();
  const Kernel kernel = dot_of(*runtime);
  expect_right(*primary_, kernel);
  std::thread([&] {
    void* context = nullptr;
    ASSERT_EQ(create(&context, 0, 0), 0);
    ASSERT_EQ(set_current(context), 0);
    const std::int64_t dims[] = {n + 1};  // new: a hit does not look
    try {
      kernel.prepare(legacy_stream, dims);
      ADD_FAILURE() << "a kernel of another context was prepared";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), HasSubstr("another is current"));
    }
    {
      const auto device = borrow_current_cuda_device();
      expect_right(*device, dot_of(*runtime));
    }
    ASSERT_EQ(destroy(context), 0);
  }).join();
  runtime.reset();
  expect_right(*primary_, kernel);
}

}  // namespace
}  // namespace warptune::runtime
