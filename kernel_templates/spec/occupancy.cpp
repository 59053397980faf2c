#include <warptune/spec/occupancy.hpp>

#include <algorithm>

namespace warptune::spec {
namespace {

constexpr std::int64_t register_unit = 256;
constexpr std::int64_t shared_unit = 128;
constexpr std::int64_t partitions = 4;

std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

int blocks_per_sm(const DeviceTraits& device, const KernelTraits& kernel, std::int64_t threads,
                  std::int64_t dynamic_shared_bytes) {
  if (threads > std::min(device.max_threads_per_block, kernel.max_threads_per_block)) return 0;
  const std::int64_t shared = kernel.static_shared_bytes + dynamic_shared_bytes;
  if (shared > device.max_shared_bytes) return 0;
  const std::int64_t warps = (threads + device.warp_size - 1) / device.warp_size;
  std::int64_t blocks =
      std::min<std::int64_t>(device.max_blocks_per_sm, device.max_threads_per_sm / device.warp_size / warps);
  if (kernel.registers > 0) {
    const std::int64_t per_warp = round_up(std::int64_t{kernel.registers} * device.warp_size, register_unit);
    const std::int64_t resident_warps = device.registers_per_sm / partitions / per_warp * partitions;
    blocks = std::min(blocks, resident_warps / warps);
  }
  const std::int64_t per_block = round_up(shared + device.reserved_shared_bytes, shared_unit);
  if (per_block > 0 && device.shared_bytes_per_sm > 0)
    blocks = std::min(blocks, device.shared_bytes_per_sm / per_block);
  return static_cast<int>(blocks);
}

}  // namespace warptune::spec
