// One embedding look-up on the CPU machine, run as the manifest plans it: operands in heap blocks of exactly their size, everything
// that must not be written poisoned.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <warptune/spec/instance.hpp>

#include "tests/simt/embedding_entries.hpp"
#include "tests/simt/machine.hpp"

namespace warptune::simt {

enum class Ids {
  inside,  // all in the table, as long as it has rows
  mixed    // every third outside: -1, v, the smallest and the largest of the type in turn
};

struct EmbeddingCase {
  const EmbeddingEntry* entry = nullptr;
  int num_threads = 64;
  int blocks_per_sm = 0;
  std::int64_t v = 1, n = 1, h = 1;
  std::int64_t table_pitch = 0, output_pitch = 0;  // 0: the smallest that the entry's accesses allow
  int table_offset = 0, output_offset = 0;         // of the first row, in accesses, behind a 16-byte boundary
  Ids ids = Ids::mixed;
  Order order = Order::forward;

  std::string text() const;
};

// Bytes that one access of the entry moves, or must be aligned to.
std::int64_t access_bytes(const EmbeddingEntry& entry);
// Output rows per block and turn, for all of a row's elements: where edges of n lie.
std::int64_t rows_per_tile(const EmbeddingEntry& entry, int num_threads, std::int64_t h);
spec::Instance instance_of(const EmbeddingCase& test);
spec::Config config_of(const EmbeddingCase& test);

// Runs the plan of a case. Empty: output, what lies between its rows, and first_bad are right. Else what is wrong, in one line.
// Throws what the kernel or the planning throws.
std::string run_embedding(const EmbeddingCase& test);

}  // namespace warptune::simt
