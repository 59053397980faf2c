// The instantiations' lists put together, and the two small kernels of dot.cu.
#include "tests/simt/dot_entries.hpp"

#include <iterator>
#include <stdexcept>

#include "tests/simt/dot_instances.hpp"

namespace warptune::simt {
namespace {

template <typename T>
void call_reference(const void* a, const void* b, double* reference, double* scale, long long n) {
  dot_reference<T>(static_cast<const T*>(a), static_cast<const T*>(b), reference, scale, n);
}

template <typename Entry>
const Entry& find(const std::vector<Entry>& entries, const std::string& name) {
  for (const Entry& entry : entries)
    if (entry.name == name) return entry;
  throw std::out_of_range("not instantiated for the CPU: " + name);
}

}  // namespace

const std::vector<DotEntry>& dot_entries() {
  static const std::vector<DotEntry> all = [] {
    std::vector<DotEntry> entries = dot_entries_float();
    for (auto* part : {&dot_entries_half, &dot_entries_half2, &dot_entries_bf16}) {
      const std::vector<DotEntry> more = part();
      entries.insert(entries.end(), more.begin(), more.end());
    }
    return entries;
  }();
  return all;
}

const std::vector<DotFinishEntry>& dot_finish_entries() {
  static const std::vector<DotFinishEntry> all = {{"dot_finish<256>", 256, &dot_finish<256>},
                                                  {"dot_finish<1024>", 1024, &dot_finish<1024>}};
  return all;
}

const std::vector<DotReferenceEntry>& dot_reference_entries() {
  static const std::vector<DotReferenceEntry> all = {
      {"dot_reference<float>", "float", &call_reference<float>},
      {"dot_reference<__half>", "__half", &call_reference<__half>},
      {"dot_reference<__nv_bfloat16>", "__nv_bfloat16", &call_reference<__nv_bfloat16>}};
  return all;
}

const DotEntry& dot_entry(const std::string& name) { return find(dot_entries(), name); }

const DotFinishEntry& dot_finish_entry(const std::string& name) { return find(dot_finish_entries(), name); }

}  // namespace warptune::simt
