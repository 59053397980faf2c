// Tuning from inside an application, and what neighbours tell the runtime, on a real GPU.
#include <gtest/gtest.h>

#include <numeric>

#include <warptune/db/store.hpp>
#include <warptune/runtime/runtime.hpp>
#include <warptune/tuner/miss_tuner.hpp>

#include "tests/tuner/cli/program.hpp"

namespace warptune::test {
namespace {

using runtime::DeviceBuffer;
using runtime::Match;

class GpuMisses : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (runtime::cuda_device_count(&why) == 0) GTEST_SKIP() << "no GPU: " << why;
    device_ = runtime::open_cuda_device(0);
  }
  std::filesystem::path database() const { return folder_ / "t.db"; }

  TemporaryFolder folder_;
  std::shared_ptr<runtime::Device> device_;
};

TEST_F(GpuMisses, AMissIsTunedBeforeItsLaunchAndTheOperandsStayAsTheyAre) {
  constexpr std::size_t n = 1'000'003;
  tuner::MissTuning how;
  how.tune.budget.seconds = 5;
  runtime::RuntimeOptions options;
  options.cache_folder = folder_ / "cache";
  options.on_miss = runtime::OnMiss::tune;
  options.tuner = tuner::miss_tuner(how);
  std::vector<std::string> lines;
  options.warn = [&](const std::string& line) { lines.push_back(line); };
  auto opened = runtime::Runtime::open(database(), options, device_);
  const auto kernel = opened.kernel("dot", {{"T", "float"}});

  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i % 3);
  const DeviceBuffer a(*device_, n * sizeof(float)), b(*device_, n * sizeof(float)),
      y(*device_, sizeof(float));
  for (const DeviceBuffer* buffer : {&a, &b})
    device_->copy_to_device(buffer->get(), values.data(), n * sizeof(float));
  const std::int64_t dims[] = {n};
  void* const pointers[] = {reinterpret_cast<void*>(a.get()), reinterpret_cast<void*>(b.get()),
                            reinterpret_cast<void*>(y.get())};
  EXPECT_EQ(kernel.launch(runtime::legacy_stream, dims, pointers), Match::tuned)
      << (lines.empty() ? "" : lines.back());
  device_->synchronize(runtime::legacy_stream);
  float result = 0;
  device_->copy_to_host(&result, y.get(), sizeof(result));
  EXPECT_EQ(result, std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
  std::vector<float> after(n);
  for (const DeviceBuffer* buffer : {&a, &b}) {
    device_->copy_to_host(after.data(), buffer->get(), n * sizeof(float));
    EXPECT_EQ(after, values);
  }
  EXPECT_FALSE(db::Store::open(database(), db::OpenMode::read_only).winners().empty());
}

TEST_F(GpuMisses, NeighboursGiveAnExpectedLoss) {
  const ProgramResult tuned = run_program(
      {"tune", "dot", "--types", "T=float", "--dims", "n=2^20", "--seconds", "10", "--db", "t.db"},
      folder_ / "");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  runtime::RuntimeOptions options;
  options.cache_folder = folder_ / "cache";
  auto opened = runtime::Runtime::open(database(), options, device_);
  const auto kernel = opened.kernel("dot", {{"T", "float"}});
  const auto loss_at = [&](std::int64_t n) {
    const std::int64_t dims[] = {n};
    return kernel.select(dims).expected_loss;
  };
  EXPECT_EQ(loss_at(1 << 20), 0);
  for (const std::int64_t n : {700'000, 1'500'000, 3'000'000}) {
    ASSERT_TRUE(loss_at(n).has_value()) << n;
    EXPECT_GE(*loss_at(n), 0) << n;
    EXPECT_LE(*loss_at(n), 0.01) << n << ": a faster one would have come first";
  }
  EXPECT_FALSE(loss_at(1 << 23).has_value()) << "beyond the bound";
}

}  // namespace
}  // namespace warptune::test
