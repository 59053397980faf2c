// Fills, exact sums, buffers and the verdict for dot on the CPU machine.
#include "tests/simt/dot_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tests/simt/kernel_order.hpp"

namespace warptune::simt {
namespace {

constexpr float poison = std::numeric_limits<float>::quiet_NaN();
constexpr double f32_tolerance = 1e-5;
constexpr double half2_tolerance = 1.0 / 512;  // each product is rounded to 11 bits

float round_to(float, float value) { return value; }
__half round_to(__half, float value) { return __float2half(value); }
__nv_bfloat16 round_to(__nv_bfloat16, float value) { return __float2bfloat16(value); }

double widen(float value) { return static_cast<double>(value); }
double widen(__half value) { return static_cast<double>(__half2float(value)); }
double widen(__nv_bfloat16 value) { return static_cast<double>(__bfloat162float(value)); }

struct Pair {
  float a, b;
};

Pair draw(Fill fill, std::int64_t i, std::mt19937& random) {
  const auto uniform = [&](float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random);
  };
  switch (fill) {
    case Fill::whole: {
      const auto nonzero = [&] {
        const int value = std::uniform_int_distribution<int>(1, 6)(random);
        return static_cast<float>(value <= 3 ? value : value - 7);
      };
      const float a = nonzero();
      return {a, nonzero()};
    }
    case Fill::uniform: {
      const float a = uniform(-1.0f, 1.0f);
      return {a, uniform(-1.0f, 1.0f)};
    }
    case Fill::cancel:
      break;
  }
  // Elements 2k and 2k + 1 have products of equal size and opposite sign.
  std::minstd_rand pair(static_cast<std::uint32_t>(i / 2 + 1));
  std::uniform_real_distribution<float> magnitude(0.5f, 1.0f);
  const float a = magnitude(pair);
  const float b = magnitude(pair);
  return {i % 2 == 0 ? a : -a, b};
}

template <typename T>
void fill_operands(Fill fill, std::int64_t elements, std::vector<std::byte>& a, std::vector<std::byte>& b,
                   std::vector<double>& sums, std::vector<double>& scales) {
  std::mt19937 random(20240229);
  const auto count = static_cast<std::size_t>(elements);
  a.resize(count * sizeof(T));
  b.resize(count * sizeof(T));
  sums.assign(1, 0.0);
  scales.assign(1, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const Pair pair = draw(fill, static_cast<std::int64_t>(i), random);
    const T x = round_to(T{}, pair.a);
    const T z = round_to(T{}, pair.b);
    std::memcpy(&a[i * sizeof(T)], &x, sizeof(T));
    std::memcpy(&b[i * sizeof(T)], &z, sizeof(T));
    const double product = widen(x) * widen(z);
    sums.push_back(sums.back() + product);
    scales.push_back(scales.back() + std::fabs(product));
  }
}

// operator new aligns to 16 bytes, the most that a load of dot needs.
std::unique_ptr<std::byte[]> exact_copy(const std::byte* values, std::size_t bytes,
                                        std::size_t offset_bytes) {
  std::unique_ptr<std::byte[]> block(new std::byte[offset_bytes + bytes]);
  std::memset(block.get(), 0xff, offset_bytes);
  if (bytes > 0) std::memcpy(block.get() + offset_bytes, values, bytes);
  return block;
}

}  // namespace

DotData::DotData(std::string type, Fill fill, std::int64_t elements) : type_(std::move(type)), fill_(fill) {
  element_bytes_ = type_ == "float" ? 4 : 2;
  if (type_ == "float")
    fill_operands<float>(fill, elements, a_, b_, sums_, scales_);
  else if (type_ == "__half")
    fill_operands<__half>(fill, elements, a_, b_, sums_, scales_);
  else
    fill_operands<__nv_bfloat16>(fill, elements, a_, b_, sums_, scales_);
}

DotBuffers::DotBuffers(const DotData& data, std::int64_t n, std::int64_t offset_a, std::int64_t offset_b,
                       std::int64_t partials, std::int64_t tickets)
    : offset_a_bytes_(static_cast<std::size_t>(offset_a * data.element_bytes())),
      offset_b_bytes_(static_cast<std::size_t>(offset_b * data.element_bytes())),
      a_(exact_copy(data.a(), static_cast<std::size_t>(n * data.element_bytes()), offset_a_bytes_)),
      b_(exact_copy(data.b(), static_cast<std::size_t>(n * data.element_bytes()), offset_b_bytes_)),
      y_(new float(poison)),
      partials_(new float[static_cast<std::size_t>(partials)]),
      ticket_(new unsigned[static_cast<std::size_t>(tickets)]()),
      tickets_(tickets) {
  std::fill_n(partials_.get(), partials, poison);
}

bool DotBuffers::tickets_are_zero() const {
  return std::all_of(ticket_.get(), ticket_.get() + tickets_, [](unsigned ticket) { return ticket == 0; });
}

std::string DotCase::text() const {
  static constexpr const char* finishes[] = {"two_pass", "last_block", "atomic"};
  return entry->name + " n=" + std::to_string(n) + " blocks=" + std::to_string(blocks) + " " +
         finishes[finish] + " offsets=" + std::to_string(offset_a) + "," + std::to_string(offset_b) +
         (order == Order::forward ? " forward" : " reverse");
}

std::string run_dot(const DotCase& test, const DotData& data) {
  const bool several = test.blocks > 1;
  DotBuffers buffers(data, test.n, test.offset_a, test.offset_b,
                     several && test.finish != atomic ? test.blocks : 0,
                     several && test.finish == last_block ? 1 : 0);
  if (several && test.finish == atomic) *buffers.y() = 0.0f;
  Machine& machine = Machine::instance();
  kernel_waits = 0;
  machine.launch({test.blocks}, {test.entry->threads}, test.order, [&] {
    test.entry->kernel(buffers.a(), buffers.b(), buffers.y(), buffers.partials(), buffers.ticket(), test.n,
                       test.finish);
  });
  if (kernel_waits != static_cast<unsigned>(test.blocks) * static_cast<unsigned>(test.entry->threads))
    return test.text() + ": a thread does not wait for the kernel ahead";
  if (several && test.finish == two_pass) {
    const DotFinishEntry& finish = dot_finish_entries().front();
    machine.launch({1}, {finish.threads}, test.order,
                   [&] { finish.kernel(buffers.partials(), buffers.y(), test.blocks); });
  }
  std::string fault = judge(*buffers.y(), test.entry->half2, data, test.n);
  if (fault.empty() && !buffers.tickets_are_zero()) fault = "the ticket is not zero afterwards";
  return fault.empty() ? fault : test.text() + ": " + fault;
}

std::string judge(float y, bool half2, const DotData& data, std::int64_t n) {
  const double allowed =
      data.fill() == Fill::whole ? 0.0 : (half2 ? half2_tolerance : f32_tolerance) * data.scale(n);
  const double error = std::fabs(static_cast<double>(y) - data.sum(n));
  if (error <= allowed) return {};  // false for NaN
  return "y is " + std::to_string(y) + ", should be " + std::to_string(data.sum(n)) + " within " +
         std::to_string(allowed);
}

}  // namespace warptune::simt
