#include "runtime/device/device_info.hpp"

#include <fmt/format.h>

#include <array>

#include "runtime/device/nvml.hpp"

namespace warptune::runtime {
namespace {

// SMs that this context may use: fewer than the device has in a green context or under an MPS limit.
int usable_sm_count(const CudaContext& context, int device_sm_count) {
#if CUDA_VERSION >= 12040
  if (context.api().context_get_resource != nullptr) {
    CUdevResource resource{};
    if (context.api().context_get_resource(context.handle(), &resource, CU_DEV_RESOURCE_TYPE_SM) ==
            CUDA_SUCCESS &&
        resource.sm.smCount > 0) {
      return static_cast<int>(resource.sm.smCount);
    }
  }
#endif
  return device_sm_count;
}

}  // namespace

std::string normalised_model(std::string_view name) {
  std::string model;
  for (const char character : name) {
    const bool blank = character == ' ' || character == '\t';
    if (blank && (model.empty() || model.back() == ' ')) continue;
    model += blank ? ' ' : character;
  }
  if (!model.empty() && model.back() == ' ') model.pop_back();
  return model;
}

DeviceInfo read_device_info(const CudaContext& context) {
  const DriverApi& api = context.api();
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    api.check(api.device_get_attribute(&value, which, context.device()), "cuDeviceGetAttribute");
    return value;
  };

  DeviceInfo info;
  std::array<char, 256> name{};
  api.check(api.device_get_name(name.data(), static_cast<int>(name.size()) - 1, context.device()),
            "cuDeviceGetName");
  std::size_t memory_bytes = 0;
  api.check(api.device_total_mem(&memory_bytes, context.device()), "cuDeviceTotalMem");
  api.check(api.driver_get_version(&info.driver_version), "cuDriverGetVersion");
  info.driver_name = driver_package_version();
  info.label = fmt::format("cuda:{}", context.device());
  info.bus_id =
      fmt::format("{:04x}:{:02x}:{:02x}", attribute(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
                  attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID), attribute(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));

  spec::DeviceTraits& traits = info.traits;
  traits.model = normalised_model(name.data());
  traits.compute_capability = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                              attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  traits.sm_count = usable_sm_count(context, attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  traits.warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  traits.max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  traits.max_threads_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  traits.max_blocks_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  traits.registers_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  traits.max_shared_bytes = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  traits.shared_bytes_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  traits.reserved_shared_bytes = attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  traits.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  traits.memory_bytes = static_cast<std::int64_t>(memory_bytes);
  traits.max_grid_x = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  traits.max_grid_y = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  traits.max_grid_z = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  return info;
}

}  // namespace warptune::runtime
