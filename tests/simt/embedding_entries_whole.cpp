#include "tests/simt/embedding_instances.hpp"

namespace {

constexpr int threads_per_row[] = {8, 16, 32, 64, 128, 256, 512};
constexpr int rows_and_unrolls[][2] = {{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 6}, {1, 8}, {1, 12}, {2, 1},
                                       {2, 2}, {2, 3}, {2, 4}, {2, 6}, {4, 1}, {4, 2}, {4, 3}};
constexpr Load loads[] = {Load::no_allocate, Load::streaming, Load::cached};

template <int I>
EmbeddingEntry make_combination() {
  constexpr int bytes = element_sizes_and_packs[I / 3][0], pack = element_sizes_and_packs[I / 3][1];
  constexpr Load load = bytes * pack < 4 && I % 3 == 0 ? Load::cached : loads[I % 3];
  return make_whole < std::conditional_t<I % 2 == 0, int, long long>, bytes, pack, threads_per_row[I % 7],
         rows_and_unrolls[I % 15][0], rows_and_unrolls[I % 15][1], load,
         I % 4 < 2 ? Store::streaming : Store::cached, policies[(I + I / 3) % 3] > ();
}

template <int... INDICES>
std::vector<EmbeddingEntry> make_all(std::integer_sequence<int, INDICES...>) {
  return {make_combination<INDICES>()...};
}

}  // namespace

namespace warptune::simt {

const std::vector<EmbeddingEntry>& embedding_whole_entries() {
  static const std::vector<EmbeddingEntry> all = make_all(std::make_integer_sequence<int, 36>());
  return all;
}

}  // namespace warptune::simt
