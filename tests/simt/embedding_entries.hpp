// A selection of the embedding template's instantiations for the CPU, callable by name. Immutable once built.
// Every mapping, pack, element size, id width and policy is among them, in combinations that take turns.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <warptune/spec/value.hpp>

namespace warptune::simt {

// The kernels of embedding.cu with types erased. `scalars`: the launch's, in order.
using EmbeddingKernel = void (*)(const void* ids, const void* table, void* output,
                                 unsigned long long* first_bad, const long long* scalars);

struct EmbeddingEntry {
  std::string name;  // as in a launch plan: "embedding_flat<int, 4, 4, 2, ..."
  std::string id_type;
  int element_bytes = 0;
  std::string policy;
  std::map<std::string, spec::Value> tunables;  // those that the name fixes
  EmbeddingKernel kernel = nullptr;
};

// An integer among the tunables.
inline std::int64_t tunable(const EmbeddingEntry& entry, const char* name) {
  return entry.tunables.at(name).as_integer();
}

// Kernels for rows of any width, and those for rows of just what their threads hold.
const std::vector<EmbeddingEntry>& embedding_entries();
const std::vector<EmbeddingEntry>& embedding_whole_entries();
// One of either by name; std::out_of_range for one that is not instantiated.
const EmbeddingEntry& embedding_entry(const std::string& name);

// What all entries have in common. `policy`, and the loads and stores below: as the enums of embedding.cu number them.
struct EmbeddingShape {
  bool wide_ids = false;
  int element_bytes = 0, pack = 0, unroll = 0, policy = 0;
};
EmbeddingEntry describe_rows(const EmbeddingShape& shape, bool separate, int threads_per_row, int rows,
                             int load, int store, EmbeddingKernel kernel);
EmbeddingEntry describe_whole(const EmbeddingShape& shape, int threads_per_row, int rows, int load, int store,
                              EmbeddingKernel kernel);
EmbeddingEntry describe_flat(const EmbeddingShape& shape, int load, int store, EmbeddingKernel kernel);
EmbeddingEntry describe_bulk(const EmbeddingShape& shape, int chunk_bytes, EmbeddingKernel kernel);

// Parts of embedding_entries(), one per source file so that they compile side by side.
std::vector<EmbeddingEntry> embedding_entries_rows();
std::vector<EmbeddingEntry> embedding_entries_others();

}  // namespace warptune::simt
