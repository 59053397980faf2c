// Dot product y[0] = sum of a[i] * b[i] over i in [0, n), products and sums in float.
// The kernels keep no state of their own; any number of streams may run them on buffers of their own.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#ifdef __CUDACC__  // host code that runs these kernels brings its own versions
#include "gpu_order.cuh"
#endif

enum class Multiply {
  f32,   // operands are converted, then multiplied in float
  half2  // two half products at a time, converted afterwards: overflows where |a * b| > 65504
};

// How the sums of several blocks become one; a launch with one block writes y itself whatever is asked for.
enum Finish {
  kTwoPass = 0,    // each block leaves a partial sum, dot_finish adds them; its launch hides behind dot's end
  kLastBlock = 1,  // the block that draws the last ticket adds the partial sums, in block order
  kAtomic = 2      // each block adds to y, which the caller has set to zero
};

template <typename T, int PACK>
struct alignas(sizeof(T) * PACK) Pack {
  T values[PACK];
};

template <int BYTES>
struct Word;
template <>
struct Word<2> {
  using Type = unsigned short;
};
template <>
struct Word<4> {
  using Type = unsigned int;
};
template <>
struct Word<8> {
  using Type = uint2;
};
template <>
struct Word<16> {
  using Type = uint4;
};

__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(__half x) { return __half2float(x); }
__device__ inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }

// One load of sizeof(T) * PACK bytes. Each operand is read once, so the lines are marked to be evicted first:
// up to 4 % faster than a plain load on an H200 at 64 MiB of operands, never slower.
template <typename T, int PACK>
__device__ inline Pack<T, PACK> load_pack(const Pack<T, PACK>* address) {
  using Bits = typename Word<sizeof(T) * PACK>::Type;
  const Bits bits = __ldcs(reinterpret_cast<const Bits*>(address));
  Pack<T, PACK> pack;
  memcpy(&pack, &bits, sizeof(pack));
  return pack;
}

// sums[k] += a[k] * b[k]: one chain of additions per element of the pack keeps the chains short.
template <Multiply MULTIPLY, typename T, int PACK>
__device__ inline void accumulate(float (&sums)[PACK], const Pack<T, PACK>& a, const Pack<T, PACK>& b) {
  if constexpr (MULTIPLY == Multiply::half2) {
    static_assert(PACK % 2 == 0, "half2 products take the elements in pairs");
#pragma unroll
    for (int k = 0; k < PACK; k += 2) {
      const __half2 pair_a = __halves2half2(a.values[k], a.values[k + 1]);
      const __half2 pair_b = __halves2half2(b.values[k], b.values[k + 1]);
      const float2 products = __half22float2(__hmul2(pair_a, pair_b));
      sums[k] += products.x;
      sums[k + 1] += products.y;
    }
  } else {
#pragma unroll
    for (int k = 0; k < PACK; ++k) sums[k] += to_float(a.values[k]) * to_float(b.values[k]);
  }
}

template <typename S>
__device__ inline S warp_sum(S x) {
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) x += __shfl_xor_sync(0xffffffffu, x, lane_mask);
  return x;
}

// The sum of x over the block, in a fixed order; only thread 0's result means anything. All threads call it,
// and a barrier separates two calls, which share their scratch.
template <int NUM_THREADS, typename S>
__device__ inline S block_sum(S x) {
  static_assert(NUM_THREADS % 32 == 0 && NUM_THREADS >= 32 && NUM_THREADS <= 1024, "whole warps, one block");
  constexpr int NUM_WARPS = NUM_THREADS / 32;
  x = warp_sum(x);
  if constexpr (NUM_WARPS > 1) {
    __shared__ S warp_sums[NUM_WARPS];
    if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) x = warp_sum(threadIdx.x < NUM_WARPS ? warp_sums[threadIdx.x] : S(0));
  }
  return x;
}

// The sum of count floats over the block, in a fixed order. They are read past L1, since other blocks of the same launch may
// have written them, and many at once: nothing else is left to do while they travel. partials is aligned to 16 bytes.
template <int NUM_THREADS>
__device__ inline float sum_of_partials(const float* partials, long long count) {
  const auto* quads = reinterpret_cast<const float4*>(partials);
  const long long num_quads = count / 4;
  float sum = 0.0f;
  if (threadIdx.x < count - num_quads * 4) sum = __ldcg(partials + num_quads * 4 + threadIdx.x);
#pragma unroll 8
  for (long long i = threadIdx.x; i < num_quads; i += NUM_THREADS) {
    const float4 quad = __ldcg(quads + i);
    sum += (quad.x + quad.y) + (quad.z + quad.w);
  }
  return block_sum<NUM_THREADS>(sum);
}

// Any grid; a and b aligned to sizeof(T) * PACK. Blocks take tiles of NUM_THREADS * PACK * UNROLL elements in
// turn. partials holds gridDim.x floats (two_pass, last_block); ticket is zero before and after (last_block). May begin while the
// kernel ahead of it on the stream still runs, whatever that is, as may dot_finish.
template <typename T, int NUM_THREADS, int PACK, int UNROLL, Multiply MULTIPLY>
__global__ void __launch_bounds__(NUM_THREADS)
    dot(const T* a, const T* b, float* y, float* partials, unsigned int* ticket, long long n, int finish) {
  wait_for_previous_kernel();
  constexpr int TILE_PACKS = NUM_THREADS * UNROLL;
  const int thread = static_cast<int>(threadIdx.x);
  const long long packs = n / PACK;
  const auto* packs_a = reinterpret_cast<const Pack<T, PACK>*>(a);
  const auto* packs_b = reinterpret_cast<const Pack<T, PACK>*>(b);

  // The last n % PACK elements. Loaded before the tiles, used after them, so that nothing waits for them.
  float tail_a = 0.0f;
  float tail_b = 0.0f;
  if (blockIdx.x == gridDim.x - 1 && thread < static_cast<int>(n - packs * PACK)) {
    tail_a = to_float(a[packs * PACK + thread]);
    tail_b = to_float(b[packs * PACK + thread]);
  }

  float sums[PACK] = {};
  const long long stride = static_cast<long long>(gridDim.x) * TILE_PACKS;
  for (long long tile = static_cast<long long>(blockIdx.x) * TILE_PACKS; tile < packs; tile += stride) {
    const auto* tile_a = packs_a + tile + thread;
    const auto* tile_b = packs_b + tile + thread;
    Pack<T, PACK> values_a[UNROLL];
    Pack<T, PACK> values_b[UNROLL];
    if (packs - tile >= TILE_PACKS) {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        values_a[u] = load_pack(tile_a + u * NUM_THREADS);
        values_b[u] = load_pack(tile_b + u * NUM_THREADS);
      }
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) accumulate<MULTIPLY>(sums, values_a[u], values_b[u]);
    } else {
      const int left = static_cast<int>(packs - tile);
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        const bool inside = thread + u * NUM_THREADS < left;
        values_a[u] = inside ? load_pack(tile_a + u * NUM_THREADS) : Pack<T, PACK>{};
        values_b[u] = inside ? load_pack(tile_b + u * NUM_THREADS) : Pack<T, PACK>{};
      }
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) accumulate<MULTIPLY>(sums, values_a[u], values_b[u]);
    }
  }

  let_next_kernel_begin();
#pragma unroll
  for (int width = PACK / 2; width > 0; width /= 2)
#pragma unroll
    for (int k = 0; k < width; ++k) sums[k] += sums[k + width];
  const float sum = block_sum<NUM_THREADS>(sums[0] + tail_a * tail_b);

  if (gridDim.x == 1) {
    if (thread == 0) *y = sum;
    return;
  }
  if (finish == kAtomic) {
    if (thread == 0) atomicAdd(y, sum);
    return;
  }
  if (thread == 0) partials[blockIdx.x] = sum;
  if (finish == kTwoPass) return;

  __shared__ bool is_last;
  if (thread == 0) {
    __threadfence();  // the partial sum is visible before the ticket is drawn
    is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;  // wraps: the last draw leaves zero
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();  // no partial sum is read before the last ticket was drawn
  const float total = sum_of_partials<NUM_THREADS>(partials, gridDim.x);
  if (thread == 0) *y = total;
}

// y[0] = sum of partials[i] over i in [0, count), in a fixed order. One block; may begin while dot still runs.
template <int NUM_THREADS>
__global__ void __launch_bounds__(NUM_THREADS) dot_finish(const float* partials, float* y, long long count) {
  wait_for_previous_kernel();
  let_next_kernel_begin();
  const float total = sum_of_partials<NUM_THREADS>(partials, count);
  if (threadIdx.x == 0) *y = total;
}

// What dot is checked against: products and sums in double. Adds to reference[0] the sum of a[i] * b[i], and
// to scale[0] that of |a[i] * b[i]|; the caller has set both to zero. Any grid of blocks of 256 threads.
template <typename T>
__global__ void __launch_bounds__(256)
    dot_reference(const T* a, const T* b, double* reference, double* scale, long long n) {
  double sum = 0.0;
  double magnitude = 0.0;
  const long long stride = static_cast<long long>(gridDim.x) * 256;
  for (long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x; i < n; i += stride) {
    const double product = static_cast<double>(to_float(a[i])) * static_cast<double>(to_float(b[i]));
    sum += product;
    magnitude += fabs(product);
  }
  sum = block_sum<256>(sum);
  __syncthreads();
  magnitude = block_sum<256>(magnitude);
  if (threadIdx.x == 0) {
    atomicAdd(reference, sum);
    atomicAdd(scale, magnitude);
  }
}
