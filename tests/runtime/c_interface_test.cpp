// The header for C, used by a translation unit that is compiled as C, on the stub device.
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
