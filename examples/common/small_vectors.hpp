// What the short examples share: two vectors of small whole numbers on the device, whose dot product is exact in float.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

#include <warptune/runtime/runtime.hpp>

namespace example {

namespace wt = warptune::runtime;

class SmallVectors {
 public:
  // Precondition: n up to 2^20, so that float holds every partial sum (products are at most 6 in magnitude).
  SmallVectors(wt::Device& device, std::int64_t n)
      : device_(device), a_(device, bytes(n)), b_(device, bytes(n)), y_(device, sizeof(float)) {
    std::vector<float> a(static_cast<std::size_t>(n)), b(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<float>(i % 7) - 3.0F;
      b[i] = static_cast<float>(i % 5) - 2.0F;
      expected_ += a[i] * b[i];
    }
    device.copy_to_device(a_.get(), a.data(), bytes(n));
    device.copy_to_device(b_.get(), b.data(), bytes(n));
  }

  std::vector<void*> pointers() const {
    return {reinterpret_cast<void*>(a_.get()), reinterpret_cast<void*>(b_.get()),
            reinterpret_cast<void*>(y_.get())};
  }
  float expected() const { return expected_; }
  // Waits for `stream`, reads the result, says whether it is right, and makes it wrong again.
  bool check(const char* what, wt::StreamHandle stream) {
    device_.synchronize(stream);
    float result = 0;
    device_.copy_to_host(&result, y_.get(), sizeof(result));
    const bool right = result == expected_;
    std::printf("%s: %g, %s\n", what, static_cast<double>(result), right ? "right" : "wrong");
    const float spoiled = -1;
    device_.copy_to_device(y_.get(), &spoiled, sizeof(spoiled));
    return right;
  }

 private:
  static std::size_t bytes(std::int64_t n) { return static_cast<std::size_t>(n) * sizeof(float); }

  wt::Device& device_;
  wt::DeviceBuffer a_, b_, y_;
  float expected_ = 0;
};

// Runs the body of main(). Exit codes: what it returns; 77 no usable GPU; 1 any other failure.
template <typename Body>
int guarded(const char* program, Body body) {
  try {
    return body();
  } catch (const warptune::Error& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.full_text().c_str());
    return error.kind() == warptune::ErrorKind::no_device ? 77 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

}  // namespace example
