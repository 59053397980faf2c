// What every Device shares: owned memory, architecture names, which failures end a context.
#include <warptune/runtime/device.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace warptune::runtime {

std::string DeviceInfo::architecture() const { return "sm_" + std::to_string(traits.compute_capability); }

void Device::throw_launch_error(int code) const {
  throw Error(ErrorKind::cuda, "the launch failed (" + std::to_string(code) + ")", {}, code);
}

DeviceBuffer::DeviceBuffer(Device& device, std::size_t bytes)
    : device_(&device), pointer_(device.allocate(bytes)), bytes_(bytes) {}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)),
      pointer_(std::exchange(other.pointer_, 0)),
      bytes_(std::exchange(other.bytes_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  DeviceBuffer taken(std::move(other));
  std::swap(device_, taken.device_);
  std::swap(pointer_, taken.pointer_);
  std::swap(bytes_, taken.bytes_);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (device_ != nullptr) device_->release(pointer_);
}

bool context_is_lost(const Error& error) noexcept {
  if (error.kind() != ErrorKind::cuda || !error.native_code()) return false;
  // CUresult: ECC and NVLink uncorrectable, contained, illegal address, time-out, context destroyed, assert, hardware stack,
  // illegal instruction, misaligned address, address space, pc, launch failed, tensor memory leak, unknown.
  static constexpr std::array<long, 15> fatal = {214, 220, 226, 700, 702, 709, 710, 714,
                                                 715, 716, 717, 718, 719, 721, 999};
  return std::find(fatal.begin(), fatal.end(), *error.native_code()) != fatal.end();
}

}  // namespace warptune::runtime
