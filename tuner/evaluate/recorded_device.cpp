#include <algorithm>
#include <array>

#include "tuner/evaluate/recorded_evaluator.hpp"

namespace warptune::tuner {
namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; shared memory in KiB.
struct ArchitectureLimits {
  int compute_capability, threads_per_sm, blocks_per_sm, shared_per_sm, shared_per_block;
};
constexpr std::array<ArchitectureLimits, 10> architectures = {{{70, 2048, 32, 96, 96},
                                                               {75, 1024, 16, 64, 64},
                                                               {80, 2048, 32, 164, 163},
                                                               {86, 1536, 16, 100, 99},
                                                               {87, 1536, 16, 164, 163},
                                                               {89, 1536, 24, 100, 99},
                                                               {90, 2048, 32, 228, 227},
                                                               {100, 2048, 32, 228, 227},
                                                               {103, 2048, 32, 228, 227},
                                                               {120, 1536, 24, 100, 99}}};

}  // namespace

spec::DeviceTraits traits_of(const db::DeviceKey& key) {
  // An architecture that is not listed is closest to the newest one before it.
  const ArchitectureLimits* limits = &architectures.front();
  for (const ArchitectureLimits& each : architectures)
    if (each.compute_capability <= key.compute_capability) limits = &each;
  spec::DeviceTraits traits;
  traits.model = key.model;
  traits.compute_capability = key.compute_capability;
  traits.sm_count = key.sm_count;
  traits.l2_bytes = key.l2_bytes;
  traits.memory_bytes = std::int64_t{key.memory_gib} << 30;
  traits.max_threads_per_sm = limits->threads_per_sm;
  traits.max_blocks_per_sm = limits->blocks_per_sm;
  traits.shared_bytes_per_sm = std::int64_t{limits->shared_per_sm} * 1024;
  traits.max_shared_bytes = std::int64_t{limits->shared_per_block} * 1024;
  traits.reserved_shared_bytes = traits.compute_capability >= 80 ? 1024 : 0;
  return traits;
}

std::vector<db::DeviceKey> recorded_devices(const db::Store& recording) {
  std::vector<db::DeviceKey> devices;
  for (const db::ProblemKey& problem : recording.problems())
    if (std::find(devices.begin(), devices.end(), problem.device) == devices.end())
      devices.push_back(problem.device);
  return devices;
}

}  // namespace warptune::tuner
