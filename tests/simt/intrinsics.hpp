// Device words and intrinsics for kernels that run on the CPU. Include it, then put the kernel's source into
// an unnamed namespace: there its shared arrays get red zones from AddressSanitizer, which a template's
// static in a named one lacks. The source may use: 1 to 3 dimensional grids, static __shared__, barriers,
// full-mask shuffles, atomics on float, double, int and unsigned int, cached loads. Not thread-safe, like the
// machine below it.
#pragma once

#include <cmath>
#include <cstring>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tests/simt/machine.hpp"

// The toolkit's headers define these for host compilers, in ways of their own.
#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __launch_bounds__
#undef __forceinline__

#define __global__
#define __device__
#define __host__
#define __shared__ static  // one block runs at a time
#define __constant__ const
#define __launch_bounds__(...)
#define __forceinline__ inline

#define threadIdx (::warptune::simt::Machine::instance().current().thread)
#define blockIdx (::warptune::simt::Machine::instance().block_index())
#define blockDim (::warptune::simt::Machine::instance().block_size())
#define gridDim (::warptune::simt::Machine::instance().grid_size())

#define __syncthreads() ::warptune::simt::Machine::instance().sync_block(__LINE__)
#define __syncwarp() ::warptune::simt::Machine::instance().sync_warp()

namespace warptune::simt {

inline unsigned lane_index() { return Machine::instance().current().index % Warp::size; }

inline void require_full_mask(unsigned mask) {
  if (mask != 0xffffffffu)
    throw KernelFault("shuffles run on the CPU with all 32 lanes named in the mask only");
}

// The kernel's threads take turns, so plain accesses are atomic.
template <typename T>
T fetch_add(T* address, T value) {
  const T old = *address;
  *address = old + value;
  return old;
}

}  // namespace warptune::simt

template <typename T>
T __shfl_sync(unsigned mask, T value, int source) {
  warptune::simt::require_full_mask(mask);
  return warptune::simt::Machine::instance().exchange(value, static_cast<unsigned>(source));
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask) {
  warptune::simt::require_full_mask(mask);
  return warptune::simt::Machine::instance().exchange(
      value, warptune::simt::lane_index() ^ static_cast<unsigned>(lane_mask));
}

// Lanes whose source lies outside the warp keep their own value.
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta) {
  warptune::simt::require_full_mask(mask);
  const unsigned lane = warptune::simt::lane_index();
  return warptune::simt::Machine::instance().exchange(value, lane + delta < 32 ? lane + delta : lane);
}

inline float atomicAdd(float* address, float value) { return warptune::simt::fetch_add(address, value); }
inline double atomicAdd(double* address, double value) { return warptune::simt::fetch_add(address, value); }
inline int atomicAdd(int* address, int value) { return warptune::simt::fetch_add(address, value); }
inline unsigned atomicAdd(unsigned* address, unsigned value) {
  return warptune::simt::fetch_add(address, value);
}

inline unsigned long long atomicMin(unsigned long long* address, unsigned long long value) {
  const unsigned long long old = *address;
  if (value < old) *address = value;
  return old;
}

// CUDA C++ Programming Guide, atomicInc: old >= limit ? 0 : old + 1.
inline unsigned atomicInc(unsigned* address, unsigned limit) {
  const unsigned old = *address;
  *address = old >= limit ? 0 : old + 1;
  return old;
}

inline void __threadfence() {}

template <typename T>
T __ldg(const T* address) {
  return *address;
}
template <typename T>
T __ldcs(const T* address) {
  return *address;
}
template <typename T>
T __ldcg(const T* address) {
  return *address;
}
template <typename T>
void __stcs(T* address, T value) {
  *address = value;
}
