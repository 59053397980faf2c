// Every instantiation of the dot template for the CPU, callable by name. Immutable once built.
#pragma once

#include <string>
#include <vector>

#include "tests/simt/machine.hpp"

namespace warptune::simt {

// dot of dot.cu with its element type erased.
using DotKernel = void (*)(const void* a, const void* b, float* y, float* partials, unsigned* ticket,
                           long long n, int finish);
using DotFinishKernel = void (*)(const float* partials, float* y, long long count);
using DotReferenceKernel = void (*)(const void* a, const void* b, double* reference, double* scale,
                                    long long n);

struct DotEntry {
  std::string name;  // as in a launch plan: "dot<float, 32, 1, 1, Multiply::f32>"
  std::string type;  // CUDA type name
  unsigned threads = 0;
  int pack = 0;
  int unroll = 0;
  bool half2 = false;
  DotKernel kernel = nullptr;
};

struct DotFinishEntry {
  std::string name;
  unsigned threads = 0;
  DotFinishKernel kernel = nullptr;
};

struct DotReferenceEntry {
  std::string name;
  std::string type;
  DotReferenceKernel kernel = nullptr;
};

const std::vector<DotEntry>& dot_entries();
const std::vector<DotFinishEntry>& dot_finish_entries();
const std::vector<DotReferenceEntry>& dot_reference_entries();

// By name; std::out_of_range for one that is not instantiated.
const DotEntry& dot_entry(const std::string& name);
const DotFinishEntry& dot_finish_entry(const std::string& name);

// Parts of dot_entries(), one per source file so that they compile side by side.
std::vector<DotEntry> dot_entries_float();
std::vector<DotEntry> dot_entries_half();
std::vector<DotEntry> dot_entries_half2();
std::vector<DotEntry> dot_entries_bf16();

}  // namespace warptune::simt
