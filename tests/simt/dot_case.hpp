// One dot product on the CPU machine: operands in heap blocks of exactly their size, everything else
// poisoned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/simt/dot_entries.hpp"

namespace warptune::simt {

enum class Fill {
  whole,    // -3 .. 3 without 0: sums are exact in float, and each product lost or counted twice shows
  uniform,  // [-1, 1)
  cancel    // values of magnitude 0.5 to 1 whose products alternate in sign and cancel in pairs
};

// Values for two operands of up to `elements` elements, with the exact results for each length.
class DotData {
 public:
  DotData(std::string type, Fill fill, std::int64_t elements);

  const std::string& type() const { return type_; }
  Fill fill() const { return fill_; }
  std::int64_t element_bytes() const { return element_bytes_; }
  const std::byte* a() const { return a_.data(); }
  const std::byte* b() const { return b_.data(); }
  // Sums of a[i] * b[i] and of |a[i] * b[i]| over i in [0, n), in double.
  double sum(std::int64_t n) const { return sums_[static_cast<std::size_t>(n)]; }
  double scale(std::int64_t n) const { return scales_[static_cast<std::size_t>(n)]; }

 private:
  std::string type_;
  Fill fill_;
  std::int64_t element_bytes_;
  std::vector<std::byte> a_, b_;
  std::vector<double> sums_, scales_;
};

// The buffers of one call: no byte more than the kernel may touch, so that AddressSanitizer sees the next
// one.
class DotBuffers {
 public:
  // Operands start offset_a and offset_b elements into their blocks, whose own alignment is 16 bytes.
  DotBuffers(const DotData& data, std::int64_t n, std::int64_t offset_a, std::int64_t offset_b,
             std::int64_t partials, std::int64_t tickets);

  const void* a() const { return a_.get() + offset_a_bytes_; }
  const void* b() const { return b_.get() + offset_b_bytes_; }
  float* y() { return y_.get(); }
  float* partials() { return partials_.get(); }
  unsigned* ticket() { return ticket_.get(); }
  bool tickets_are_zero() const;

 private:
  std::size_t offset_a_bytes_, offset_b_bytes_;
  std::unique_ptr<std::byte[]> a_, b_;
  std::unique_ptr<float> y_;
  std::unique_ptr<float[]> partials_;
  std::unique_ptr<unsigned[]> ticket_;
  std::int64_t tickets_;
};

enum FinishArgument { two_pass = 0, last_block = 1, atomic = 2 };  // enum Finish of dot.cu

struct DotCase {
  const DotEntry* entry = nullptr;
  unsigned blocks = 1;
  int finish = two_pass;
  std::int64_t n = 0;
  std::int64_t offset_a = 0, offset_b = 0;  // in elements
  Order order = Order::forward;

  std::string text() const;
};

// Runs a case as the manifest's steps would. Empty: the result is right. Else what is wrong, in one line.
std::string run_dot(const DotCase& test, const DotData& data);

// |y - exact| <= tolerance * scale, equality for whole numbers; NaN is never right. Empty: right.
std::string judge(float y, bool half2, const DotData& data, std::int64_t n);

}  // namespace warptune::simt
