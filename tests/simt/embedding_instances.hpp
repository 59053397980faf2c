// The unmodified embedding.cu, compiled for the CPU, and makers of entries.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/simt/bulk_copies.hpp"
#include "tests/simt/embedding_entries.hpp"
#include "tests/simt/intrinsics.hpp"
#include "tests/simt/kernel_order.hpp"

namespace {

// What embedding.cu takes from a GPU beside the intrinsics.
template <typename W>
W load_past_l1(const W* address) {
  return *address;
}
inline unsigned char* dynamic_shared() { return warptune::simt::BulkCopies::instance().shared(); }
inline void barrier_init(unsigned long long* barrier) {
  warptune::simt::BulkCopies::instance().init(barrier);
  *barrier = 1;  // touched, so that AddressSanitizer sees where it lies
}
inline void barrier_publish() {}
inline void bulk_load(void* shared, const void* global, unsigned bytes, unsigned long long* barrier) {
  warptune::simt::BulkCopies::instance().load(shared, global, bytes, barrier);
}
inline void bulk_wait_load(unsigned long long* barrier, unsigned parity) {
  warptune::simt::BulkCopies::instance().wait_load(barrier, parity);
}
inline void bulk_store(void* global, const void* shared, unsigned bytes) {
  warptune::simt::BulkCopies::instance().store(global, shared, bytes);
}
inline void bulk_commit_stores() { warptune::simt::BulkCopies::instance().commit_stores(); }
template <int PENDING>
void bulk_wait_stores() {
  warptune::simt::BulkCopies::instance().wait_stores(PENDING);
}

#ifdef __clang__  // its -Wconversion also warns where a signed constant meets an unsigned index: usual in kernels, and in range
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wsign-conversion"
#endif
#include "kernel_templates/embedding/embedding.cu"
#ifdef __clang__
#pragma clang diagnostic pop
#endif

using warptune::simt::EmbeddingEntry;

constexpr int element_sizes_and_packs[][2] = {{1, 1}, {1, 4}, {1, 16}, {2, 1}, {2, 2}, {2, 4},
                                              {2, 8}, {4, 1}, {4, 2},  {4, 4}, {8, 1}, {8, 2}};
constexpr Policy policies[] = {Policy::clamp, Policy::zero, Policy::check};

template <typename Id, typename... Types, typename Kernel, std::size_t... INDICES>
void call(Kernel kernel, const void* ids, const void* table, void* output, unsigned long long* first_bad,
          const long long* scalars, std::index_sequence<INDICES...>) {
  kernel(static_cast<const Id*>(ids), table, output, first_bad, static_cast<Types>(scalars[INDICES])...);
}

template <typename Id>
constexpr bool is_wide = std::is_same_v<Id, long long>;

template <typename Id, int ELEMENT_BYTES, int PACK, Access ACCESS, int THREADS_PER_ROW, int ROWS, int UNROLL,
          Load LOAD, Store STORE, Policy POLICY>
EmbeddingEntry make_rows() {
  return warptune::simt::describe_rows(
      {is_wide<Id>, ELEMENT_BYTES, PACK, UNROLL, static_cast<int>(POLICY)}, ACCESS == Access::separate,
      THREADS_PER_ROW, ROWS, static_cast<int>(LOAD), static_cast<int>(STORE),
      [](const void* ids, const void* table, void* output, unsigned long long* first_bad,
         const long long* scalars) {
        call<Id, long long, long long, int, long long, long long, int>(
            &embedding_rows<Id, ELEMENT_BYTES, PACK, ACCESS, THREADS_PER_ROW, ROWS, UNROLL, LOAD, STORE,
                            POLICY>,
            ids, table, output, first_bad, scalars, std::make_index_sequence<6>());
      });
}

template <typename Id, int ELEMENT_BYTES, int PACK, int THREADS_PER_ROW, int ROWS, int UNROLL, Load LOAD,
          Store STORE, Policy POLICY>
EmbeddingEntry make_whole() {
  return warptune::simt::describe_whole(
      {is_wide<Id>, ELEMENT_BYTES, PACK, UNROLL, static_cast<int>(POLICY)}, THREADS_PER_ROW, ROWS,
      static_cast<int>(LOAD), static_cast<int>(STORE),
      [](const void* ids, const void* table, void* output, unsigned long long* first_bad,
         const long long* scalars) {
        call<Id, unsigned, unsigned, unsigned, unsigned, int>(
            &embedding_whole<Id, ELEMENT_BYTES, PACK, THREADS_PER_ROW, ROWS, UNROLL, LOAD, STORE, POLICY>,
            ids, table, output, first_bad, scalars, std::make_index_sequence<5>());
      });
}

template <typename Id, int ELEMENT_BYTES, int PACK, int UNROLL, Load LOAD, Store STORE, Policy POLICY>
EmbeddingEntry make_flat() {
  return warptune::simt::describe_flat(
      {is_wide<Id>, ELEMENT_BYTES, PACK, UNROLL, static_cast<int>(POLICY)}, static_cast<int>(LOAD),
      static_cast<int>(STORE),
      [](const void* ids, const void* table, void* output, unsigned long long* first_bad,
         const long long* scalars) {
        call<Id, long long, long long, int, long long, long long, int, int>(
            &embedding_flat<Id, ELEMENT_BYTES, PACK, UNROLL, LOAD, STORE, POLICY>, ids, table, output,
            first_bad, scalars, std::make_index_sequence<7>());
      });
}

// One kernel serves all element types; ELEMENT_BYTES is of the problems that it is tried with.
template <typename Id, int SLOTS, Policy POLICY, int ELEMENT_BYTES>
EmbeddingEntry make_bulk(int chunk_bytes) {
  return warptune::simt::describe_bulk(
      {is_wide<Id>, ELEMENT_BYTES, 16 / ELEMENT_BYTES, SLOTS, static_cast<int>(POLICY)}, chunk_bytes,
      [](const void* ids, const void* table, void* output, unsigned long long* first_bad,
         const long long* scalars) {
        call<Id, long long, long long, long long, long long, long long, int, int>(
            &embedding_bulk<Id, SLOTS, POLICY>, ids, table, output, first_bad, scalars,
            std::make_index_sequence<7>());
      });
}

}  // namespace
