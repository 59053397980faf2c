#include "tests/simt/embedding_instances.hpp"

namespace {

constexpr int threads_per_row[] = {8, 16, 32, 64, 128, 256, 512};
constexpr int rows_and_unrolls[][2] = {{1, 1}, {1, 2}, {1, 4}, {1, 8}, {2, 1},
                                       {2, 2}, {2, 4}, {4, 1}, {4, 2}};
constexpr Load loads[] = {Load::cached, Load::no_allocate, Load::streaming};

template <int I>
EmbeddingEntry make_combination() {
  constexpr int bytes = element_sizes_and_packs[I / 3][0], pack = element_sizes_and_packs[I / 3][1];
  constexpr Load load = bytes * pack < 4 && I % 3 == 1 ? Load::cached : loads[I % 3];
  return make_rows < std::conditional_t<I / 3 % 2 == 0, int, long long>, bytes, pack, Access::packed,
         threads_per_row[I % 7], rows_and_unrolls[I % 9][0], rows_and_unrolls[I % 9][1], load,
         I % 2 == 0 ? Store::cached : Store::streaming, policies[I % 3] > ();
}

template <int... INDICES>
std::vector<EmbeddingEntry> make_all(std::integer_sequence<int, INDICES...>) {
  return {make_combination<INDICES>()...};
}

}  // namespace

namespace warptune::simt {

std::vector<EmbeddingEntry> embedding_entries_rows() {
  std::vector<EmbeddingEntry> entries = make_all(std::make_integer_sequence<int, 36>());
  // The study's six at h = 512, and separate accesses of the other sizes.
  constexpr Load cached = Load::cached;
  constexpr Store plain = Store::cached;
  entries.push_back(make_rows<int, 4, 1, Access::packed, 512, 1, 1, cached, plain, Policy::clamp>());
  entries.push_back(make_rows<int, 4, 4, Access::separate, 128, 1, 1, cached, plain, Policy::clamp>());
  entries.push_back(make_rows<int, 4, 4, Access::packed, 128, 1, 1, cached, plain, Policy::clamp>());
  entries.push_back(make_rows<int, 2, 1, Access::packed, 512, 1, 1, cached, plain, Policy::clamp>());
  entries.push_back(make_rows<int, 2, 8, Access::separate, 64, 1, 1, cached, plain, Policy::clamp>());
  entries.push_back(make_rows<int, 2, 8, Access::packed, 64, 1, 1, cached, plain, Policy::clamp>());
  entries.push_back(make_rows<long long, 1, 16, Access::separate, 8, 1, 1, cached, plain, Policy::zero>());
  entries.push_back(make_rows<long long, 8, 2, Access::separate, 16, 1, 1, cached, plain, Policy::check>());
  return entries;
}

}  // namespace warptune::simt
