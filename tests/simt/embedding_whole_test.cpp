// MAPPING=whole on the CPU: rows of just what their threads hold.
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/simt/embedding_case.hpp"

namespace warptune::simt {
namespace {

// The one width that the entry is for.
std::int64_t width_of(const EmbeddingEntry& entry) {
  return tunable(entry, "THREADS_PER_ROW") * tunable(entry, "UNROLL") * tunable(entry, "PACK");
}

EmbeddingCase case_of(const EmbeddingEntry& entry, int num_threads) {
  EmbeddingCase test{&entry};
  const int group = static_cast<int>(tunable(entry, "THREADS_PER_ROW"));
  test.num_threads = std::max(num_threads, group);
  test.h = width_of(entry);
  return test;
}

TEST(EmbeddingWhole, EveryEntryAroundItsTile) {
  std::int64_t cases = 0;
  for (const EmbeddingEntry& entry : embedding_whole_entries()) {
    const std::int64_t step = access_bytes(entry) / entry.element_bytes;
    for (int edge = 0; edge < 6; ++edge) {
      EmbeddingCase test = case_of(entry, cases % 2 == 0 ? 64 : 128);
      const std::int64_t tile = rows_per_tile(entry, test.num_threads, test.h);
      const std::int64_t counts[] = {0, 1, tile - 1, tile, tile + 1, 2 * tile + 3};
      test.n = counts[edge];
      test.v = 1 + cases % 7;
      test.table_pitch = cases % 3 == 0 ? 0 : test.h + step * (cases % 3);
      test.output_pitch = cases % 5 == 0 ? 0 : test.h + step * (cases % 5);
      test.table_offset = static_cast<int>(cases % 4);
      test.output_offset = static_cast<int>(cases / 4 % 3);
      test.ids = cases % 8 == 7 ? Ids::inside : Ids::mixed;
      for (const Order order : {Order::forward, Order::reverse}) {
        test.order = order;
        ASSERT_EQ(run_embedding(test), "");
      }
      ++cases;
    }
  }
  std::cout << "embedding, whole rows: " << embedding_whole_entries().size() << " kernels, " << cases
            << " cases, both schedules\n";
  EXPECT_EQ(cases, 36 * 6);
}

// What the kernel has no code for is refused before launch.
TEST(EmbeddingWhole, RefusesOtherWidthsAnEmptyTableAndWhat32BitsDoNotHold) {
  constexpr std::int64_t beyond = 4000000001;
  const auto why_not = [](const EmbeddingCase& test) {
    const auto exclusion = instance_of(test).excluded(config_of(test));
    return exclusion ? exclusion->why : std::string();
  };
  for (const EmbeddingEntry& entry : embedding_whole_entries()) {
    EmbeddingCase test = case_of(entry, 64);
    const std::int64_t step = tunable(entry, "PACK");
    EXPECT_EQ(why_not(test), "");
    for (const std::int64_t h : {test.h - 1, test.h + 1, test.h + step, 2 * test.h, std::int64_t{0}}) {
      test.h = h;
      EXPECT_EQ(why_not(test), "whole rows are just what their threads hold") << test.text();
    }
    const std::string reason = "whole rows are found with 32-bit numbers, in a table that has rows";
    test = case_of(entry, 64);
    test.v = 0;
    EXPECT_EQ(why_not(test), reason);
    test.v = beyond;
    EXPECT_EQ(why_not(test), reason);
    test = case_of(entry, 64);
    test.n = beyond;
    EXPECT_EQ(why_not(test), reason);
    test = case_of(entry, 64);
    test.table_pitch = (beyond / entry.element_bytes + 16) / 16 * 16;
    EXPECT_EQ(why_not(test), reason);
  }
}

}  // namespace
}  // namespace warptune::simt
