#include "tests/simt/embedding_instances.hpp"

namespace {

constexpr int unrolls[] = {1, 2, 4, 8};
constexpr Load loads[] = {Load::streaming, Load::cached, Load::no_allocate};

template <int I>
EmbeddingEntry make_combination() {
  constexpr int bytes = element_sizes_and_packs[I / 3][0], pack = element_sizes_and_packs[I / 3][1];
  constexpr Load load = bytes * pack < 4 && I % 3 == 2 ? Load::cached : loads[I % 3];
  return make_flat < std::conditional_t<I / 3 % 2 == 0, long long, int>, bytes, pack, unrolls[I % 4], load,
         I / 2 % 2 == 0 ? Store::streaming : Store::cached, policies[I % 3] > ();
}

template <int... INDICES>
std::vector<EmbeddingEntry> make_all(std::integer_sequence<int, INDICES...>) {
  return {make_combination<INDICES>()...};
}

}  // namespace

namespace warptune::simt {

std::vector<EmbeddingEntry> embedding_entries_others() {
  std::vector<EmbeddingEntry> entries = make_all(std::make_integer_sequence<int, 36>());
  entries.push_back(make_bulk<int, 1, Policy::clamp, 4>(2048));
  entries.push_back(make_bulk<long long, 1, Policy::check, 8>(2048));
  entries.push_back(make_bulk<int, 2, Policy::zero, 2>(4096));
  entries.push_back(make_bulk<long long, 2, Policy::clamp, 1>(2048));
  entries.push_back(make_bulk<int, 4, Policy::check, 2>(2048));
  entries.push_back(make_bulk<long long, 4, Policy::zero, 4>(8192));
  entries.push_back(make_bulk<int, 8, Policy::zero, 1>(2048));
  entries.push_back(make_bulk<long long, 8, Policy::clamp, 2>(2048));
  return entries;
}

}  // namespace warptune::simt
