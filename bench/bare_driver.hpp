// The driver's functions that the start-up programs call, opened by name, and the operands of their one call. One thread.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace warptune::bench {

// n of the timed call: small, so that what is timed is the start.
inline constexpr std::int64_t start_up_n = 4096;

class BareDriver {
 public:
  // The process ends with 77 where there is no usable GPU.
  BareDriver() {
    library_ = ::dlopen("libcuda.so.1", RTLD_NOW);
    CUcontext context = nullptr;
    if (library_ == nullptr || find<decltype(&cuInit)>("cuInit")(0) != CUDA_SUCCESS ||
        find<decltype(&cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain")(&context, 0) != CUDA_SUCCESS) {
      std::fprintf(stderr, "no usable GPU\n");
      std::exit(77);
    }
    check(find<decltype(&cuCtxSetCurrent)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  }

  template <typename Function>
  Function find(const char* name) const {
    void* const found = ::dlsym(library_, name);
    if (found == nullptr) fail(name, 500);
    return reinterpret_cast<Function>(found);
  }
  static void check(CUresult result, const char* call) {
    if (result != CUDA_SUCCESS) fail(call, result);
  }

  CUdeviceptr allocate(std::size_t bytes) const {
    CUdeviceptr pointer = 0;
    check(find<CUresult (*)(CUdeviceptr*, std::size_t)>("cuMemAlloc_v2")(&pointer, bytes), "cuMemAlloc");
    return pointer;
  }
  // start_up_n ones.
  CUdeviceptr ones() const {
    const std::vector<float> values(start_up_n, 1.0F);
    const std::size_t bytes = values.size() * sizeof(float);
    const CUdeviceptr pointer = allocate(bytes);
    check(find<CUresult (*)(CUdeviceptr, const void*, std::size_t)>("cuMemcpyHtoD_v2")(pointer, values.data(),
                                                                                       bytes),
          "cuMemcpyHtoD");
    return pointer;
  }
  // Waits for what was launched. 0 and the word that ends the timing where the result is right, else 1.
  int report(CUdeviceptr y) const {
    float result = 0;
    check(find<CUresult (*)(void*, CUdeviceptr, std::size_t)>("cuMemcpyDtoH_v2")(&result, y, sizeof(result)),
          "cuMemcpyDtoH");
    if (result != static_cast<float>(start_up_n)) {
      std::fprintf(stderr, "result %g is wrong\n", double{result});
      return 1;
    }
    std::fputs("done\n", stdout);
    std::fflush(stdout);
    return 0;
  }

 private:
  [[noreturn]] static void fail(const char* call, int code) {
    std::fprintf(stderr, "%s failed: %d\n", call, code);
    std::exit(1);
  }
  void* library_ = nullptr;
};

}  // namespace warptune::bench
