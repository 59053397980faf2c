// Embedding look-up through a Runtime: output row i = table row ids[i]. docs/kernels/embedding.md.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <warptune/runtime/runtime.hpp>

namespace warptune::runtime {

// v rows of h elements in the table, n ids and output rows; pitches in elements from one row's start to the next, at least h,
// 0: h.
struct EmbeddingShape {
  std::int64_t v = 0;
  std::int64_t n = 0;
  std::int64_t h = 0;
  std::int64_t table_pitch = 0;
  std::int64_t output_pitch = 0;
};

// What becomes of ids outside [0, v). Nothing outside the table is read in any case.
enum class IdPolicy {
  any,    // the caller does not mind: as clamp
  clamp,  // the first or the last row; zeros where the table has no row
  zero,   // a row of zeros
  check   // a row of zeros, and EmbeddingOptions::first_bad tells
};

// How ids are spread, where the caller knows: which tuning records are used. It changes no result.
enum class IdDistribution { any, uniform, zipf, sorted, equal };

struct EmbeddingOptions {
  IdPolicy policy = IdPolicy::any;
  IdDistribution distribution = IdDistribution::any;
  // check: one integer that the device can write, aligned to 8 bytes. Once the stream has come past the call it holds the
  // smallest i with ids[i] outside [0, v), or -1. Other policies leave it alone.
  std::int64_t* first_bad = nullptr;
};

// What rows are made of. Types that are not among them travel as the unsigned integer of their size.
enum class RowElement { f32, f16, bf16, f64, u8, u16, u32, u64 };
constexpr RowElement row_element(const float*) { return RowElement::f32; }
constexpr RowElement row_element(const __half*) { return RowElement::f16; }
constexpr RowElement row_element(const __nv_bfloat16*) { return RowElement::bf16; }
constexpr RowElement row_element(const double*) { return RowElement::f64; }
constexpr RowElement row_element(const std::uint8_t*) { return RowElement::u8; }
constexpr RowElement row_element(const std::uint16_t*) { return RowElement::u16; }
constexpr RowElement row_element(const std::uint32_t*) { return RowElement::u32; }
constexpr RowElement row_element(const std::uint64_t*) { return RowElement::u64; }

template <typename Id>
concept RowId = std::signed_integral<Id> && (sizeof(Id) == 4 || sizeof(Id) == 8);

// As embedding() below, types erased: `id_bytes` is 4 or 8.
Match embedding_of(const Runtime& runtime, const void* ids, std::size_t id_bytes, const void* table,
                   void* output, RowElement element, const EmbeddingShape& shape,
                   const EmbeddingOptions& options, StreamHandle stream);

// `ids`: n; `table`: v rows; `output`: n rows, what lies between them is left alone. Device pointers; output overlaps
// nothing. In the context that is current on this thread. Asynchronous. Errors: as Kernel::launch(); also usage for check without first_bad, bad_input for a pitch
// below h.
template <RowId Id, typename T>
Match embedding(const Runtime& runtime, const Id* ids, const T* table, T* output, const EmbeddingShape& shape,
                const EmbeddingOptions& options = {}, StreamHandle stream = legacy_stream) {
  return embedding_of(runtime, ids, sizeof(Id), table, output, row_element(table), shape, options, stream);
}

}  // namespace warptune::runtime

namespace warptune {
using runtime::embedding;
}  // namespace warptune
