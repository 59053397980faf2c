// One small kernel of three parameters, ready to be launched through a runtime and through cuLaunchKernel itself. launch_raw()
// and launch() may be called from any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/runtime/runtime.hpp>

#include "bench/dispatch/null_device.hpp"

namespace bench {

class KernelUnderTest {
 public:
  // `device`: "stub", or "cuda:N". Errors: those of opening it, of NVRTC; not_found (libcuda).
  explicit KernelUnderTest(const std::string& device);

  wt::Device& device() { return *device_; }
  // What cuLaunchKernel is called with, the same for both.
  struct Call {
    std::uint64_t x, y;  // device addresses
    long long n;
    wt::StreamHandle stream;
  };
  void launch_raw(Call& call) const {
    void* arguments[] = {&call.x, &call.y, &call.n};
    const int result = raw_(function_, blocks, 1, 1, threads, 1, 1, 0, reinterpret_cast<void*>(call.stream),
                            arguments, nullptr);
    if (result != 0) throw warptune::Error(warptune::ErrorKind::cuda, "cuLaunchKernel", {}, result);
  }
  void launch(const Call& call) const {
    const std::int64_t dims[] = {call.n};
    void* const pointers[] = {reinterpret_cast<void*>(call.x), reinterpret_cast<void*>(call.y)};
    kernel_->launch(call.stream, dims, pointers);
  }

  static constexpr unsigned blocks = 4, threads = 64;
  static constexpr long long n = blocks * threads;

 private:
  std::shared_ptr<wt::Device> device_;
  std::shared_ptr<wt::Compiler> compiler_;
  std::unique_ptr<wt::LoadedModule> module_;
  void* function_ = nullptr;
  wt::LaunchFunction raw_ = nullptr;
  std::optional<wt::Runtime> runtime_;
  std::optional<wt::Kernel> kernel_;
};

}  // namespace bench
