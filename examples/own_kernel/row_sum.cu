// y[r] = sum of x[r, c] over c, added in float. Block r takes row r.
// x is aligned to sizeof(T) * PACK, and so is every row.
#include <cuda_fp16.h>

__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(__half x) { return __half2float(x); }

template <typename T, int PACK>
struct alignas(sizeof(T) * PACK) Pack {
  T values[PACK];
};

template <typename T, int NUM_THREADS, int PACK>
__global__ void __launch_bounds__(NUM_THREADS)
    row_sum(const T* __restrict__ x, float* __restrict__ y, long long cols) {
  const auto* row = reinterpret_cast<const Pack<T, PACK>*>(x + static_cast<long long>(blockIdx.x) * cols);
  float sum = 0.0f;
  for (long long i = threadIdx.x; i < cols / PACK; i += NUM_THREADS) {
    const Pack<T, PACK> pack = row[i];
#pragma unroll
    for (int k = 0; k < PACK; ++k) sum += to_float(pack.values[k]);
  }
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lane_mask);

  __shared__ float warp_sums[NUM_THREADS / 32];
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float total = 0.0f;
#pragma unroll
  for (int warp = 0; warp < NUM_THREADS / 32; ++warp) total += warp_sums[warp];
  y[blockIdx.x] = total;
}

// What row_sum is checked against: one thread per row, in double; scale is the sum of |x|.
template <typename T>
__global__ void row_sum_reference(const T* x, double* reference, double* scale, long long cols,
                                  long long rows) {
  const long long r = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  for (long long c = 0; c < cols; ++c) {
    const double value = static_cast<double>(to_float(x[r * cols + c]));
    reference[r] += value;
    scale[r] += fabs(value);
  }
}
