// The embedding template on the CPU, through the manifest's own launch plans: lengths around every edge, pitches, offsets, ids
// outside the table, both schedules.
#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/simt/embedding_case.hpp"

namespace warptune::simt {
namespace {

constexpr Order both_orders[] = {Order::forward, Order::reverse};

bool is_bulk(const EmbeddingEntry& entry) { return entry.tunables.at("MAPPING").text() == "bulk"; }

// Two block sizes that hold a whole number of the entry's groups.
std::vector<int> block_sizes(const EmbeddingEntry& entry) {
  if (is_bulk(entry)) return {32, 64};
  const int group = static_cast<int>(tunable(entry, "THREADS_PER_ROW"));
  return group > 64 ? std::vector<int>{group} : std::vector<int>{64, 128};
}

// Nothing, one, around the pack, around what a row's threads take at once. Bulk copies know whole packs only.
std::vector<std::int64_t> edge_widths(const EmbeddingEntry& entry) {
  const std::int64_t pack = tunable(entry, "PACK");
  const std::int64_t chunk = tunable(entry, "CHUNK_BYTES") / entry.element_bytes;
  if (is_bulk(entry)) return {0, pack, 3 * pack, chunk - pack, chunk, chunk + pack, 2 * chunk + pack};
  const std::int64_t group = std::max<std::int64_t>(1, tunable(entry, "THREADS_PER_ROW"));
  const std::int64_t at_once = pack * group * tunable(entry, "UNROLL");
  const std::set<std::int64_t> widths{
      0, 1, pack - 1, pack, pack + 1, pack * group, at_once - 1, at_once + 1, at_once + pack + 1};
  return {widths.begin(), widths.end()};
}

// Every entry at the widths and numbers of rows around its edges; block size, persistence, pitch, offsets and the kind of ids take
// turns with the cases.
TEST(Embedding, H18_EveryEntryAtItsEdges) {
  std::int64_t cases = 0;
  for (const EmbeddingEntry& entry : embedding_entries()) {
    const std::int64_t step = access_bytes(entry) / entry.element_bytes;
    for (const std::int64_t h : edge_widths(entry)) {
      for (int edge = 0; edge < 4; ++edge) {
        const std::vector<int> sizes = block_sizes(entry);
        EmbeddingCase test{&entry};
        test.num_threads = sizes[static_cast<std::size_t>(cases) % sizes.size()];
        test.blocks_per_sm = cases / 2 % 2 == 0 || entry.tunables.at("ACCESS").text() == "separate" ? 0 : 1;
        const std::int64_t tile = rows_per_tile(entry, test.num_threads, h);
        test.v = 5 + cases % 7;
        test.n = edge == 0 ? 1 : edge == 1 ? tile : edge == 2 ? tile + 1 : 2 * tile + 3;
        test.h = h;
        const std::int64_t least = (h + step - 1) / step * step;
        test.table_pitch = cases % 3 == 0 ? least : least + step * (cases % 3);
        test.output_pitch = cases % 5 == 0 ? least : least + step * (cases % 5);
        if (test.table_pitch == 0) test.table_pitch = step;
        if (test.output_pitch == 0) test.output_pitch = step;
        test.table_offset = static_cast<int>(cases % 4);
        test.output_offset = static_cast<int>(cases / 4 % 3);
        test.ids = cases % 8 == 7 ? Ids::inside : Ids::mixed;
        for (const Order order : both_orders) {
          test.order = order;
          ASSERT_EQ(run_embedding(test), "");
        }
        ++cases;
      }
    }
  }
  std::cout << "embedding at edges: " << embedding_entries().size() << " kernels, " << cases
            << " cases, both schedules\n";
  EXPECT_EQ(cases, 2580);
  EXPECT_EQ(embedding_entries().size(), 36u + 8u + 36u + 8u);
}

TEST(Embedding, H20_IdsOutsideATableOfAThousandRows) {
  std::int64_t cases = 0;
  for (const EmbeddingEntry& entry : embedding_entries())
    for (const Order order : both_orders) {
      EmbeddingCase test{&entry};
      test.num_threads = block_sizes(entry).front();
      test.v = 1000;
      test.n = 50;
      test.h = 16;
      test.order = order;
      ASSERT_EQ(run_embedding(test), "");
      ++cases;
    }
  EXPECT_EQ(cases, 2 * 88);
}

TEST(Embedding, NothingToReadAndNothingToDo) {
  for (const EmbeddingEntry& entry : embedding_entries()) {
    EmbeddingCase test{&entry};
    test.num_threads = block_sizes(entry).front();
    test.h = 32;
    test.v = 0;
    test.n = 7;
    EXPECT_EQ(run_embedding(test), "");  // an empty table: rows of zeros
    test.v = 3;
    test.n = 0;
    EXPECT_EQ(run_embedding(test), "");
  }
}

// Pitch and base decide what accesses are possible; a config that asks for more is refused before launch.
TEST(Embedding, H19_RowsThatDoNotStartWhereTheAccessNeedsIt) {
  std::int64_t refused = 0;
  for (const EmbeddingEntry& entry : embedding_entries()) {
    if (access_bytes(entry) == entry.element_bytes) continue;
    EmbeddingCase test{&entry};
    test.num_threads = block_sizes(entry).front();
    test.h = 2 * tunable(entry, "PACK");
    test.table_pitch = test.h + 1;
    const auto exclusion = instance_of(test).excluded(config_of(test));
    ASSERT_TRUE(exclusion) << test.text();
    EXPECT_EQ(exclusion->why, "with these pitches, rows do not start where the access needs it");
    test.table_pitch = 0;
    EXPECT_FALSE(instance_of(test).excluded(config_of(test)));
    EXPECT_EQ(instance_of(test).alignment_class(config_of(test)), access_bytes(entry));
    ++refused;
  }
  EXPECT_EQ(refused, 8 * 3 * 2 + 2 + 8);  // packs of more than one, the study's packed two, bulk
}

}  // namespace
}  // namespace warptune::simt
