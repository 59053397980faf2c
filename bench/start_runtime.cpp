// A program that ships: dot of its first operands from a bundle, or from a database with NVRTC. Started by start_up.py, which times
// it to its first result.
//   start_runtime DATABASE
#include <cstdio>

#include <warptune/base/error.hpp>
#include <warptune/runtime/runtime.hpp>

#include "bench/bare_driver.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: start_runtime DATABASE\n");
    return 2;
  }
  try {
    const warptune::bench::BareDriver driver;
    const CUdeviceptr a = driver.ones(), b = driver.ones(), y = driver.allocate(sizeof(float));
    auto runtime = warptune::runtime::Runtime::open(argv[1]);
    warptune::runtime::dot(runtime, reinterpret_cast<const float*>(a), reinterpret_cast<const float*>(b),
                           reinterpret_cast<float*>(y), warptune::bench::start_up_n);
    return driver.report(y);
  } catch (const warptune::Error& error) {
    std::fprintf(stderr, "start_runtime: %s\n", error.full_text().c_str());
    return 1;
  }
}
