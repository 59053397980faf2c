// The unmodified dot.cu, compiled for the CPU, and lists of its instantiations by type.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/simt/dot_entries.hpp"
#include "tests/simt/intrinsics.hpp"
#include "tests/simt/kernel_order.hpp"

namespace {
#include "kernel_templates/dot/dot.cu"

template <typename T>
constexpr const char* type_name = nullptr;
template <>
constexpr const char* type_name<float> = "float";
template <>
constexpr const char* type_name<__half> = "__half";
template <>
constexpr const char* type_name<__nv_bfloat16> = "__nv_bfloat16";

template <typename T, int NUM_THREADS, int PACK, int UNROLL, Multiply MULTIPLY>
void call_dot(const void* a, const void* b, float* y, float* partials, unsigned* ticket, long long n,
              int finish) {
  dot<T, NUM_THREADS, PACK, UNROLL, MULTIPLY>(static_cast<const T*>(a), static_cast<const T*>(b), y, partials,
                                              ticket, n, finish);
}

template <typename T, int NUM_THREADS, int PACK, int UNROLL, Multiply MULTIPLY>
warptune::simt::DotEntry make_entry() {
  const std::string name = std::string("dot<") + type_name<T> + ", " + std::to_string(NUM_THREADS) + ", " +
                           std::to_string(PACK) + ", " + std::to_string(UNROLL) +
                           (MULTIPLY == Multiply::half2 ? ", Multiply::half2>" : ", Multiply::f32>");
  return {name,
          type_name<T>,
          NUM_THREADS,
          PACK,
          UNROLL,
          MULTIPLY == Multiply::half2,
          &call_dot<T, NUM_THREADS, PACK, UNROLL, MULTIPLY>};
}

using Entries = std::vector<warptune::simt::DotEntry>;

template <typename T, Multiply MULTIPLY, int NUM_THREADS, int PACK, int... UNROLLS>
void add_unrolls(Entries& entries, std::integer_sequence<int, UNROLLS...>) {
  (entries.push_back(make_entry<T, NUM_THREADS, PACK, UNROLLS, MULTIPLY>()), ...);
}

template <typename T, Multiply MULTIPLY, int PACK, int... NUM_THREADS>
void add_threads(Entries& entries, std::integer_sequence<int, NUM_THREADS...>) {
  (add_unrolls<T, MULTIPLY, NUM_THREADS, PACK>(entries, std::integer_sequence<int, 1, 2, 4, 8>()), ...);
}

// All block sizes and unroll factors for the packs given.
template <typename T, Multiply MULTIPLY, int... PACKS>
Entries make_entries() {
  Entries entries;
  using NumThreads = std::integer_sequence<int, 32, 64, 128, 256, 512, 1024>;
  (add_threads<T, MULTIPLY, PACKS>(entries, NumThreads()), ...);
  return entries;
}

}  // namespace
