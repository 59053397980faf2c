// cuBLAS's dot product, opened by name so that nothing here needs it to build. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <warptune/runtime/device.hpp>

namespace warptune::bench {

class Cublas {
 public:
  // The library from the usual places. The calling thread's current context is used.
  // Error no_device when it is missing, cuda (native code: cublasStatus_t) when it refuses.
  Cublas();
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  // y[0] = sum of a[i] * b[i], accumulated in float, result on the device in the operands' type. Asynchronous; may be captured.
  // `type`: "float", "__half" or "__nv_bfloat16"; a, b: n elements, n < 2^31.
  void dot(const std::string& type, std::int64_t n, runtime::DevicePointer a, runtime::DevicePointer b,
           runtime::DevicePointer y, runtime::StreamHandle stream);

  std::string version() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace warptune::bench
