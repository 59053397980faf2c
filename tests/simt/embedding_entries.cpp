// Names and tunables of the entries.
#include "tests/simt/embedding_entries.hpp"

#include <stdexcept>
#include <utility>

namespace warptune::simt {
namespace {

constexpr const char* policies[] = {"clamp", "zero", "check"};
constexpr const char* loads[] = {"cached", "no_allocate", "streaming"};
constexpr const char* stores[] = {"cached", "streaming"};

EmbeddingEntry describe(const EmbeddingShape& shape, const char* mapping, const char* access,
                        EmbeddingKernel kernel) {
  EmbeddingEntry entry;
  entry.id_type = shape.wide_ids ? "long long" : "int";
  entry.element_bytes = shape.element_bytes;
  entry.policy = policies[shape.policy];
  entry.kernel = kernel;
  entry.tunables = {
      {"MAPPING", spec::Value::word(mapping)},    {"ACCESS", spec::Value::word(access)},
      {"PACK", spec::Value::integer(shape.pack)}, {"THREADS_PER_ROW", spec::Value::integer(0)},
      {"ROWS", spec::Value::integer(1)},          {"UNROLL", spec::Value::integer(shape.unroll)},
      {"CHUNK_BYTES", spec::Value::integer(0)},   {"LOAD", spec::Value::word("cached")},
      {"STORE", spec::Value::word("cached")}};
  return entry;
}

void set_hints(EmbeddingEntry& entry, int load, int store) {
  entry.tunables["LOAD"] = spec::Value::word(loads[load]);
  entry.tunables["STORE"] = spec::Value::word(stores[store]);
}

std::string hints_text(const EmbeddingEntry& entry) {
  return ", Load::" + entry.tunables.at("LOAD").text() + ", Store::" + entry.tunables.at("STORE").text();
}

void share_rows(EmbeddingEntry& entry, int threads_per_row, int rows) {
  entry.tunables["THREADS_PER_ROW"] = spec::Value::integer(threads_per_row);
  entry.tunables["ROWS"] = spec::Value::integer(rows);
}

std::string shared_rows_text(const EmbeddingEntry& entry) {
  return ", " + entry.tunables.at("THREADS_PER_ROW").text() + ", " + entry.tunables.at("ROWS").text() + ", " +
         entry.tunables.at("UNROLL").text();
}

std::string begin_text(const char* kernel, const EmbeddingEntry& entry) {
  return std::string(kernel) + "<" + entry.id_type + ", " + std::to_string(entry.element_bytes) + ", " +
         entry.tunables.at("PACK").text();
}

}  // namespace

EmbeddingEntry describe_rows(const EmbeddingShape& shape, bool separate, int threads_per_row, int rows,
                             int load, int store, EmbeddingKernel kernel) {
  const char* const access = separate ? "separate" : "packed";
  EmbeddingEntry entry = describe(shape, "rows", access, kernel);
  share_rows(entry, threads_per_row, rows);
  set_hints(entry, load, store);
  entry.name = begin_text("embedding_rows", entry) + ", Access::" + access + shared_rows_text(entry) +
               hints_text(entry) + ", Policy::" + entry.policy + ">";
  return entry;
}

EmbeddingEntry describe_whole(const EmbeddingShape& shape, int threads_per_row, int rows, int load, int store,
                              EmbeddingKernel kernel) {
  EmbeddingEntry entry = describe(shape, "whole", "packed", kernel);
  share_rows(entry, threads_per_row, rows);
  set_hints(entry, load, store);
  entry.name = begin_text("embedding_whole", entry) + shared_rows_text(entry) + hints_text(entry) +
               ", Policy::" + entry.policy + ">";
  return entry;
}

EmbeddingEntry describe_flat(const EmbeddingShape& shape, int load, int store, EmbeddingKernel kernel) {
  EmbeddingEntry entry = describe(shape, "flat", "packed", kernel);
  set_hints(entry, load, store);
  entry.name = begin_text("embedding_flat", entry) + ", " + std::to_string(shape.unroll) + hints_text(entry) +
               ", Policy::" + entry.policy + ">";
  return entry;
}

EmbeddingEntry describe_bulk(const EmbeddingShape& shape, int chunk_bytes, EmbeddingKernel kernel) {
  EmbeddingEntry entry = describe(shape, "bulk", "packed", kernel);
  entry.tunables["CHUNK_BYTES"] = spec::Value::integer(chunk_bytes);
  entry.name = "embedding_bulk<" + entry.id_type + ", " + std::to_string(shape.unroll) +
               ", Policy::" + entry.policy + ">";
  return entry;
}

const std::vector<EmbeddingEntry>& embedding_entries() {
  static const std::vector<EmbeddingEntry> all = [] {
    std::vector<EmbeddingEntry> entries = embedding_entries_rows();
    for (EmbeddingEntry& entry : embedding_entries_others()) entries.push_back(std::move(entry));
    return entries;
  }();
  return all;
}

const EmbeddingEntry& embedding_entry(const std::string& name) {
  for (const auto* entries : {&embedding_entries(), &embedding_whole_entries()})
    for (const EmbeddingEntry& entry : *entries)
      if (entry.name == name) return entry;
  throw std::out_of_range("not instantiated for the CPU: " + name);
}

}  // namespace warptune::simt
