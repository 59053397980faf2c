// What the host and the helper kernels share: codes and the structures they exchange. Plain data.
// Compiled by NVRTC too, hence built-in types only and no include.
#pragma once

namespace warptune::tuner::device {

using Word64 = unsigned long long;

// How elements are stored. The values are passed to kernels.
enum class Element : int { f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64 };

// What one load of a thread moves at most.
struct alignas(16) Quad {
  unsigned x, y, z, w;
};

// What a buffer is filled with; docs/templates.md describes them for template authors.
enum class Fill : int {
  normal,   // about standard normal (sum of four uniforms)
  uniform,  // [-1, 1)
  whole,  // whole numbers of magnitude 1 to 7, random signs: sums of products stay exact in float, no term is zero
  large,  // magnitude 2^9 to 2^10 for half, 2^40 to 2^41 otherwise, random signs: products overflow half, not float
  zero,
  one,
  bits,          // any bit pattern of the element's size
  index,         // whole numbers in [0, bound), uniform
  index_zipf,    // number k with a probability proportional to 1 / (k + 1)
  index_sorted,  // never descending, spread evenly
  index_equal,   // all the same
};

// What a buffer is filled with.
struct Filling {
  Element element;
  Fill fill;
  Word64 bound;  // index
  Word64 seed;
  int outside;  // not 0: one index in eight lies outside [0, bound)
};

enum class Expect : int { all_ones, all_zero, checksum };

// A stretch of memory to audit. `slot`: its number in reports; for checksums the index into Report::sums.
struct AuditRange {
  Word64 pointer;
  Word64 bytes;
  Expect expect;
  int slot;
};

inline constexpr int max_audit_ranges = 32;
inline constexpr int max_checksums = 8;

struct AuditList {
  AuditRange ranges[max_audit_ranges];
  int count;
};

// Where the output, the reference and the scale lie, and what error is allowed.
struct Comparison {
  Word64 output;
  Word64 reference;  // double[elements], or with `bytes` elements as the output's
  Word64 scale;      // double[elements]; unused with `bytes`
  Word64 elements;
  double tolerance;
  Element element;
  int bytes;  // of an element, where elements are compared bit by bit; 0: as values
};

// Result of one run of a config on one input. All zero: nothing was found. "Inverse" numbers hold 2^64-1 minus the smallest
// number seen, so that a maximum finds it and zero means none.
struct Report {
  Word64 wrong;                    // elements outside the tolerance
  Word64 first_inverse;            // of the first wrong element's index
  Word64 max_error_bits;           // largest |output - reference| / scale, bits of a double
  double expected, got, scale;     // at the first wrong element
  Word64 expected_bits, got_bits;  // the same, where bytes were compared
  Word64 damaged;                  // guard bytes changed
  Word64 damaged_inverse;          // of the first damaged guard's slot
  Word64 counters;                 // bytes of counters left other than zero
  Word64 sums[max_checksums];
};

// A look at the clocks from one thread of multiprocessor `sm`.
struct Stamp {
  Word64 time_ns;  // %globaltimer
  Word64 cycles;   // of that multiprocessor
  int sm;
};

// What watched a timed span from outside: when the device came to it, the wait right before it, and a look right behind it from
// the same multiprocessor.
struct SpanWatch {
  Word64 arrived_ns;        // %globaltimer; 0: nobody looked
  Stamp before, after;      // after.time_ns == 0: nobody looked
  Word64 longest_stall_ns;  // between two looks of the wait at the time
};

}  // namespace warptune::tuner::device
