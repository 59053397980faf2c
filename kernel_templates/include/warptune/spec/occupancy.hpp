// How many blocks of a kernel fit one multiprocessor. Pure function, thread-safe.
#pragma once

#include <cstdint>

#include <warptune/spec/problem.hpp>

namespace warptune::spec {

// Resident blocks per multiprocessor; 0: the kernel cannot be launched so. Rule of the CUDA occupancy
// calculator for compute capability 7.0 and later: registers are given out per warp in units of 256 and per
// quarter of the multiprocessor, shared memory in units of 128 bytes. Preconditions: threads > 0,
// dynamic_shared_bytes >= 0.
int blocks_per_sm(const DeviceTraits& device, const KernelTraits& kernel, std::int64_t threads,
                  std::int64_t dynamic_shared_bytes);

}  // namespace warptune::spec
