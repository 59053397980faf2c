// Fuzz target: any bytes as what a worker, or a tuner, finds on its socket. What is accepted is written out and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <warptune/base/error.hpp>

#include "tuner/worker/channel.hpp"
#include "tuner/worker/messages.hpp"

namespace {

using namespace warptune;
using namespace warptune::tuner;

// A message that was read can be written, and what was written is read.
template <class Read>
void round_trip(const Message& message, Read read) {
  std::optional<Message> again;
  try {
    again = to_message(read(message));
  } catch (const Error& error) {
    if (error.full_text().empty()) std::abort();
    return;
  }
  (void)read(read_message(to_payload(*again)));
}

void use(const Message& message) {
  switch (message.kind) {
    case MessageKind::open:
      return round_trip(message, read_open_request);
    case MessageKind::retain_only:
      return (void)read_configs_message(message);
    case MessageKind::compile:
      return round_trip(message, read_compile_request);
    case MessageKind::device:
      return round_trip(message, read_device_info);
    case MessageKind::compiler:
      return round_trip(message, read_compiler_hello);
    case MessageKind::opened:
      return round_trip(message, read_opened);
    case MessageKind::outcome:
      return round_trip(message, read_evaluated);
    case MessageKind::block:
      return round_trip(message, read_timed_block);
    case MessageKind::seen:
      return round_trip(message, read_conditions);
    case MessageKind::supported:
      return (void)read_supported(message);
    case MessageKind::compiled:
      return round_trip(message, read_compile_results);
    case MessageKind::failed:
      return round_trip(message, read_error);
    case MessageKind::operand:
      return round_trip(message, read_operand_part);
    case MessageKind::evaluate:
    case MessageKind::time_block:
      return (void)read_config_message(message);
    case MessageKind::step:
    case MessageKind::supports:
      return (void)read_text_message(message);
    case MessageKind::conditions:
    case MessageKind::renew:
    case MessageKind::done:
      return;
  }
}

}  // namespace

// The first byte says where the rest is cut, as a socket may cut it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  FrameReader frames(1 << 20);
  const std::size_t cut = bytes.size() * data[0] / 255;
  for (const std::string_view part : {bytes.substr(0, cut), bytes.substr(cut)}) {
    frames.add(part);
    try {
      while (const auto payload = frames.next()) {
        const Message message = read_message(*payload);
        try {
          use(message);
        } catch (const Error& error) {
          if (error.full_text().empty()) std::abort();
        }
      }
    } catch (const Error& error) {
      return error.full_text().empty() ? std::abort(), 0 : 0;
    }
  }
  return 0;
}
