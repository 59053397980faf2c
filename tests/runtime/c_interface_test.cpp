// The header for C, used by a translation unit that is compiled as C, on the stub device.
#include <cstring>
#include <thread>

#include "runtime/c/handles.hpp"
#include "tests/runtime/bundle_fixture.hpp"
#include "tests/runtime/c_interface_checks.h"

namespace warptune::runtime {
namespace {

class CInterface : public testing::BundleTest {
 protected:
  void SetUp() override {
    const db::NamedValues fast = testing::tally_config(128, 4, "one");
    testing::TallyRow row{1024, 1, fast, 16};
    write({row}, {{fast, "sm_90"}, {default_config(), "sm_90"}});
  }
  const testing::TallyOperands operands_{*device_, 1024};
  void* x() const { return operands_.pointers()[0]; }
  float* y() const { return static_cast<float*>(operands_.pointers()[1]); }
};

TEST_F(CInterface, LaunchesAndSelects) {
  warptune_runtime runtime{open_bundle()};
  EXPECT_EQ(check_launch(&runtime, x(), y()), 0) << "line of c_interface_checks.c";
}

TEST_F(CInterface, WrongUseIsAStatusWithAMessage) {
  warptune_runtime runtime{open_bundle()};
  EXPECT_EQ(check_errors(&runtime, x(), y()), 0) << "line of c_interface_checks.c";
}

TEST_F(CInterface, ANativeCodeComesThrough) {
  warptune_runtime runtime{open_bundle()};
  device_->fail_kernels("tally", Error(ErrorKind::cuda, "cuLaunchKernel: broken", {}, 719));
  const char* const types[] = {"T=float", nullptr};
  const std::int64_t dims[] = {1024, 1};
  void* const pointers[] = {x(), y()};
  warptune_kernel* kernel = nullptr;
  ASSERT_EQ(warptune_get_kernel(&runtime, "tally", types, nullptr, &kernel), WARPTUNE_OK);
  EXPECT_EQ(warptune_launch(kernel, nullptr, dims, 2, pointers, 2, nullptr), WARPTUNE_ERROR_CUDA);
  long code = 0;
  EXPECT_EQ(warptune_last_native_code(&code), 1);
  EXPECT_EQ(code, 719);
  warptune_release_kernel(kernel);
}

TEST_F(CInterface, TypedCallsReachTheirKernels) {
  device_->define<const int*, const char*, char*, unsigned long long*, long long, long long, int, long long,
                  long long, int>(
      "embedding_rows", [](const testing::StubLaunch&, const int* ids, const char* table, char* output,
                           unsigned long long*, long long n, long long, int h, long long, long long, int) {
        const auto row = static_cast<std::size_t>(h) * sizeof(float);
        for (long long i = 0; i < n; ++i)
          std::memcpy(output + static_cast<std::size_t>(i) * row,
                      table + static_cast<std::size_t>(ids[i]) * row, row);
      });
  // n = 64 is one block, which writes y itself.
  device_->define<const void*, const void*, float*, float*, unsigned*, long long, int>(
      "dot", [](const testing::StubLaunch&, const void*, const void*, float* result, float*, unsigned*,
                long long n, int) { *result = static_cast<float>(n); });
  device_->define<const float*, float*, long long>(
      "dot_finish", [](const testing::StubLaunch&, const float*, float*, long long) {});
  device_->count_launches_by_name();
  warptune_runtime runtime{open()};  // no database: defaults, from the stub compiler
  const DeviceBuffer a(*device_, 64 * sizeof(float)), ids(*device_, 3 * sizeof(std::int32_t));
  const DeviceBuffer table(*device_, 12 * sizeof(float)), output(*device_, 12 * sizeof(float));
  const std::int32_t wanted[] = {2, 0, 1};
  const float rows[] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
  device_->copy_to_device(ids.get(), wanted, sizeof(wanted));
  device_->copy_to_device(table.get(), rows, sizeof(rows));
  EXPECT_EQ(
      check_typed_calls(&runtime, reinterpret_cast<void*>(a.get()), y(),
                        reinterpret_cast<const std::int32_t*>(ids.get()),
                        reinterpret_cast<const float*>(table.get()), reinterpret_cast<float*>(output.get())),
      0)
      << "line of c_interface_checks.c: " << warptune_last_error();
  int dots = 0;
  for (const auto& [name, count] : device_->launches_by_name())
    for (const char* type : {"dot<float,", "dot<__half,", "dot<__nv_bfloat16,"})
      dots += name.starts_with(type) ? 1 : 0;
  EXPECT_EQ(dots, 3);
}

TEST_F(CInterface, WhatFailedIsKeptPerThread) {
  EXPECT_EQ(check_open_without_context(), 0) << "line of c_interface_checks.c";
  const std::string mine = warptune_last_error();
  EXPECT_FALSE(mine.empty());
  std::string theirs = "not read";
  std::thread([&] { theirs = warptune_last_error(); }).join();
  EXPECT_EQ(theirs, "");
  EXPECT_EQ(warptune_last_error(), mine);
}

}  // namespace
}  // namespace warptune::runtime
