#include "tuner/verify/given_operands.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include <warptune/base/error.hpp>

namespace warptune::tuner {
void require_fitting(const spec::Instance& instance, const HostOperands& operands) {
  const std::vector<spec::BufferSpec>& buffers = instance.spec().buffers;
  const std::vector<spec::BufferLayout> layouts = instance.buffers(instance.spec().default_config);
  for (const auto& [name, bytes] : operands) {
    std::string readable;
    bool found = false;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (!spec::is_operand(buffers[i].role) || buffers[i].role == spec::BufferRole::out) continue;
      readable += (readable.empty() ? "" : ", ") + buffers[i].name;
      if (buffers[i].name != name) continue;
      found = true;
      if (static_cast<std::int64_t>(bytes.size()) != layouts[i].bytes())
        throw Error(ErrorKind::bad_input,
                    fmt::format("operand '{}' has {} bytes, and {} has {} at {}", name, bytes.size(),
                                instance.spec().name, layouts[i].bytes(), instance.problem().text()),
                    "give all its elements, the padding of pitched rows included");
    }
    if (!found)
      throw Error(ErrorKind::bad_input, fmt::format("'{}' reads no operand '{}'", instance.spec().name, name),
                  "it reads: " + readable);
  }
}

GivenOperands::GivenOperands(runtime::Device& device, const spec::Instance& instance,
                             const HostOperands& operands)
    : device_(device) {
  require_fitting(instance, operands);
  for (const auto& [name, bytes] : operands) {
    runtime::DeviceBuffer buffer;
    if (!bytes.empty()) {
      buffer = runtime::DeviceBuffer(device, bytes.size());
      device.copy_to_device(buffer.get(), bytes.data(), bytes.size());
    }
    buffers_.emplace(instance.spec().buffer_index(name), std::move(buffer));
  }
}

bool GivenOperands::copy_to(runtime::DevicePointer target, std::size_t buffer,
                            runtime::StreamHandle stream) const {
  const auto given = buffers_.find(buffer);
  if (given == buffers_.end()) return false;
  const runtime::DeviceBuffer& values = given->second;
  if (values.bytes() > 0) device_.copy_on_device(target, values.get(), values.bytes(), stream);
  return true;
}

}  // namespace warptune::tuner
