#include "tuner/worker/messages.hpp"

#include <cmath>

#include "tuner/worker/message_parts.hpp"

namespace warptune::tuner {
namespace {

// Members in the order in which both sides visit them.
void visit_limits(auto& traits, auto visit) {
  visit(traits.compute_capability), visit(traits.sm_count), visit(traits.warp_size);
  visit(traits.max_threads_per_block), visit(traits.max_threads_per_sm), visit(traits.max_blocks_per_sm);
  visit(traits.registers_per_sm), visit(traits.max_shared_bytes), visit(traits.shared_bytes_per_sm);
  visit(traits.reserved_shared_bytes), visit(traits.l2_bytes), visit(traits.memory_bytes);
  visit(traits.max_grid_x), visit(traits.max_grid_y), visit(traits.max_grid_z);
}

}  // namespace

double read_positive(ByteReader& in) {
  const auto value = in.number<double>();
  if (!std::isfinite(value) || value <= 0) fail_message("a number is not positive");
  return value;
}

const char* to_string(MessageKind kind) noexcept {
  static constexpr const char* names[] = {"open",     "evaluate", "time_block", "retain_only", "conditions",
                                          "renew",    "operand",  "supports",   "compile",     "device",
                                          "compiler", "step",     "opened",     "outcome",     "block",
                                          "seen",     "done",     "supported",  "compiled",    "failed"};
  static_assert(std::size(names) == static_cast<std::size_t>(last_message_kind) + 1);
  return names[static_cast<std::size_t>(kind)];
}

std::string to_payload(const Message& message) {
  ByteWriter out;
  out.word(message.kind);
  return out.bytes() + message.body;
}

Message read_message(std::string_view payload) {
  ByteReader in(payload);
  const MessageKind kind = in.word(last_message_kind);
  return {kind, std::string(payload.substr(sizeof(std::uint32_t)))};
}

Message to_message(const runtime::DeviceInfo& device) {
  ByteWriter out;
  out.text(device.traits.model);
  visit_limits(device.traits, number_writer(out));
  out.number(device.driver_version);
  out.text(device.driver_name);
  out.text(device.label);
  out.text(device.bus_id);
  return {MessageKind::device, out.bytes()};
}

runtime::DeviceInfo read_device_info(const Message& message) {
  ByteReader in = body_of(message, MessageKind::device);
  runtime::DeviceInfo device;
  device.traits.model = in.text();
  visit_limits(device.traits, number_reader(in));
  device.driver_version = in.number<int>();
  device.driver_name = in.text();
  device.label = in.text();
  device.bus_id = in.text();
  in.end();
  return device;
}

Message text_message(MessageKind kind, std::string_view text) {
  ByteWriter out;
  out.text(text);
  return {kind, out.bytes()};
}

std::string read_text_message(const Message& message) {
  ByteReader in(message.body);
  std::string text = in.text();
  in.end();
  return text;
}

Message to_message(const Error& error) {
  ByteWriter out;
  out.word(error.kind());
  out.text(error.what());
  out.text(error.hint());
  out.optional(error.native_code(), [&](long code) { out.number(std::int64_t{code}); });
  return {MessageKind::failed, out.bytes()};
}

Error read_error(const Message& message) {
  ByteReader in = body_of(message, MessageKind::failed);
  const ErrorKind kind = in.word(ErrorKind::internal);
  const std::string what = in.text();
  const std::string hint = in.text();
  const auto code = in.optional([&] { return static_cast<long>(in.number<std::int64_t>()); });
  in.end();
  return {kind, what, hint, code};
}

}  // namespace warptune::tuner
