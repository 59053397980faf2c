// A CUDA device, a builder with NVRTC, and the helper kernels; skips the test where there is no GPU.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/device.hpp>
#include <warptune/runtime/kernel_builder.hpp>

#include "tuner/measure/handles.hpp"
#include "tuner/verify/helper_kernels.hpp"

namespace warptune::test {

class GpuFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (runtime::cuda_device_count(&why) == 0) GTEST_SKIP() << "no GPU: " << why;
    device_ = runtime::open_cuda_device(0);
    device_->make_current();
    builder_ = std::make_shared<runtime::KernelBuilder>(runtime::open_nvrtc(), runtime::BuilderOptions{});
    helpers_ = std::make_unique<tuner::HelperKernels>(*device_, *builder_);
    stream_ = std::make_unique<tuner::OwnedStream>(*device_);
  }
  void TearDown() override {
    stream_.reset();
    helpers_.reset();
  }

  std::shared_ptr<runtime::Device> device_;
  std::shared_ptr<runtime::KernelBuilder> builder_;
  std::unique_ptr<tuner::HelperKernels> helpers_;
  std::unique_ptr<tuner::OwnedStream> stream_;
};

}  // namespace warptune::test
