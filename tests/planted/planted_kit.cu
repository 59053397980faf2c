// Every kind of candidate that a tuner must survive; planted_kit.toml lists them.
enum class Kind {
  right, right_too, illegal_read, illegal_write, misaligned, endless, asserts, stack_overflow, huge_shared, static_shared,
  register_hog, static_assert_fails, bomb_time, bomb_memory, wrong_tail, nothing, half, adds, in_place, past_end, nan, race
};

// Instantiates 2^DEPTH types, none of them twice: the front end runs out of memory.
template <class Left, class Right>
struct Pair {};
template <int DEPTH, class Path>
struct Tree {
  static constexpr int leaves = Tree<DEPTH - 1, Pair<Path, int>>::leaves + Tree<DEPTH - 1, Pair<int, Path>>::leaves;
};
template <class Path>
struct Tree<0, Path> {
  static constexpr int leaves = 1;
};

// Counts while compiling, up to 2^DEPTH times a few thousand steps: the front end runs out of time, and needs little memory.
__device__ constexpr int count_from(int start) {
  int count = start;
  for (int step = 0; step < 4000; ++step) count = (count * 5 + 1) & 1023;
  return count;
}
template <int DEPTH, int START>
struct Count {
  static constexpr int value = Count<DEPTH - 1, 2 * START>::value ^ Count<DEPTH - 1, 2 * START + 1>::value;
};
template <int START>
struct Count<0, START> {
  static constexpr int value = count_from(START);
};

__device__ __noinline__ float endless_descent(volatile float* x, int depth) {
  volatile float frame[64];
  frame[depth & 63] = *x;
  return endless_descent(x, depth + 1) + frame[(depth + 1) & 63];
}

template <Kind KIND>
__global__ void planted_kit(float* x, float* y, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  static_assert(KIND != Kind::static_assert_fails, "this kind never compiles");
  float* const nowhere = reinterpret_cast<float*>(0x10);  // an address that no allocation holds
  if constexpr (KIND == Kind::illegal_write) if (i == 0) *nowhere = 1.0f;
  if constexpr (KIND == Kind::endless) while (clock64() != 0) {}
  if constexpr (KIND == Kind::asserts) assert(i != 0);
  if constexpr (KIND == Kind::past_end) if (i == 0) y[n] = 1.0f;
  if constexpr (KIND == Kind::nothing) return;
  if constexpr (KIND == Kind::half) if (i >= n / 2) return;
  if constexpr (KIND == Kind::wrong_tail) if (i >= n / 256 * 256) return;
  if constexpr (KIND == Kind::race) {
    // The barrier between writing and reading is missing, and all but the first warp are late.
    __shared__ float tile[256];
    const long long mirrored = static_cast<long long>(blockIdx.x) * blockDim.x + (blockDim.x - 1 - threadIdx.x);
    if (threadIdx.x >= 32) {
      const long long start = clock64();
      while (clock64() - start < 20000) {}
    }
    tile[threadIdx.x] = mirrored < n ? x[mirrored] : 0.0f;
    const float read = *const_cast<volatile float*>(&tile[blockDim.x - 1 - threadIdx.x]);
    if (i < n) y[i] = 2.0f * read;
    return;
  }
  if (i >= n) return;
  float result = 2.0f * x[i];
  if constexpr (KIND == Kind::illegal_read) if (i == 0) result += *nowhere;
  if constexpr (KIND == Kind::misaligned) if (i == 0) {
    result += *reinterpret_cast<const volatile float*>(reinterpret_cast<const char*>(x) + 1);
  }
  if constexpr (KIND == Kind::stack_overflow) if (i == 0) result += endless_descent(x, 0);
  if constexpr (KIND == Kind::adds) result += y[i];
  if constexpr (KIND == Kind::nan) if (i == n / 2) result = nanf("");
  if constexpr (KIND == Kind::bomb_time) result += Count<KIND == Kind::bomb_time ? 24 : 0, 1>::value;
  if constexpr (KIND == Kind::bomb_memory) result += Tree<KIND == Kind::bomb_memory ? 40 : 0, void>::leaves;
  if constexpr (KIND == Kind::static_shared) {
    __shared__ float large[100000];
    large[threadIdx.x] = result;
    __syncthreads();
    result = large[(threadIdx.x + 1) % blockDim.x];
  }
  if constexpr (KIND == Kind::register_hog) {
    float held[200];
#pragma unroll
    for (int k = 0; k < 200; ++k) held[k] = x[(i + k) % n];
    float sum = 0.0f;
#pragma unroll
    for (int k = 199; k >= 0; --k) sum = sum * held[k] + held[(k * 7) % 200];
    if (sum == 12345.0f) result = sum;
  }
  y[i] = result;
  if constexpr (KIND == Kind::in_place) x[i] = result;
}

__global__ void planted_kit_reference(const float* x, double* reference, double* scale, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  reference[i] = 2.0 * x[i];
  scale[i] = fabs(reference[i]);
}
