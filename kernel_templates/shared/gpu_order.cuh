// A kernel that begins while the kernel ahead of it on the stream still runs ("Programmatic Dependent Launch" in the CUDA C++
// Programming Guide): only a GPU can do that, so host code that runs the kernels brings versions of its own.
// Such a kernel reads nothing with loads for constant data (ld.global.nc, which __ldg and const __restrict__ become): what it reads
// may still be written when it begins.
#pragma once

// The kernel behind this one may begin as soon as every block has called this or ended.
__device__ inline void let_next_kernel_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// Returns when the kernel ahead has ended and what it wrote can be read; at once for a kernel that began afterwards anyway.
__device__ inline void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
