// What the tuner and its workers say to each other. A payload is one message: its kind, then the members of the struct of that
// kind. Readers throw Error bad_input on anything else. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/base/error.hpp>
#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/device.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/ceilings.hpp>
#include <warptune/tuner/conditions.hpp>
#include <warptune/tuner/outcome.hpp>

namespace warptune::tuner {

enum class MessageKind : std::uint32_t {
  // To a measuring worker, each answered by one message.
  open,         // OpenRequest -> opened
  evaluate,     // config -> outcome
  time_block,   // config -> block
  retain_only,  // configs -> done
  conditions,   // -> seen
  renew,        // operands -> done
  operand,      // part of one for the next `open`; not answered
  // To a compile worker.
  supports,  // architecture -> supported
  compile,   // CompileRequest -> compiled
  // From workers. The first of any worker is `device` or `compiler`.
  device,
  compiler,
  step,  // the worker goes on to another part of the request in hand; not an answer
  opened,
  outcome,
  block,
  seen,
  done,
  supported,
  compiled,
  failed,  // the request threw: an Error
};
inline constexpr MessageKind last_message_kind = MessageKind::failed;
const char* to_string(MessageKind kind) noexcept;

// Any message, its members still bytes.
struct Message {
  MessageKind kind = MessageKind::done;
  std::string body;
};
std::string to_payload(const Message& message);
Message read_message(std::string_view payload);

Message to_message(const runtime::DeviceInfo& device);
runtime::DeviceInfo read_device_info(const Message& message);

struct CompilerHello {
  std::string identity, version, headers_hash;
};
Message to_message(const CompilerHello& hello);
CompilerHello read_compiler_hello(const Message& message);

// A problem to measure: the template's texts as the tuner read them, so that both sides have the same one.
struct OpenRequest {
  spec::TemplatePtr spec;
  spec::Problem problem;
  std::string policy = "cold";
  std::uint64_t seed = 1;
  std::string cache_folder;
  std::optional<Ceilings> ceilings;
  std::optional<double> best_ns;  // of the candidates measured before
  bool early_stop = true;
};
Message to_message(const OpenRequest& request);
// Errors also: those of restore_template(); internal where the texts give another template hash here.
OpenRequest read_open_request(const Message& message);

// A stretch of an operand that the caller brought; stretches of one come in their order. Views of what others own.
struct OperandPart {
  std::string_view buffer;  // its name
  std::string_view bytes;
};
Message to_message(const OperandPart& part);
// The message must outlive the part.
OperandPart read_operand_part(const Message& message);

// What was spent so far in the worker, in seconds.
struct Spent {
  double gpu_s = 0;
  std::map<std::string, double> phase_s;
};
// The answer to `open`.
struct Opened {
  Ceilings ceilings;
  double limit_bytes_per_s = 0;  // of this problem
  Spent spent;
};
Message to_message(const Opened& opened);
Opened read_opened(const Message& message);

Message config_message(MessageKind kind, const spec::Config& config);
spec::Config read_config_message(const Message& message);
Message configs_message(const std::vector<spec::Config>& configs);
std::vector<spec::Config> read_configs_message(const Message& message);

struct Evaluated {
  Outcome outcome;  // its config is not sent: the tuner knows it
  Spent spent;
};
Message to_message(const Evaluated& evaluated);
Evaluated read_evaluated(const Message& message);

struct TimedBlock {
  double time_ns = 0;  // per call
  Spent spent;
};
Message to_message(const TimedBlock& block);
TimedBlock read_timed_block(const Message& message);

Message to_message(const Conditions& conditions);
Conditions read_conditions(const Message& message);

Message text_message(MessageKind kind, std::string_view text);
std::string read_text_message(const Message& message);
Message answer_supported(bool supported);
bool read_supported(const Message& message);

Message to_message(const runtime::CompileRequest& request);
runtime::CompileRequest read_compile_request(const Message& message);
// Kernels of one program share one image, which travels once.
Message to_message(const std::vector<runtime::CompileResult>& results);
std::vector<runtime::CompileResult> read_compile_results(const Message& message);

Message to_message(const Error& error);
Error read_error(const Message& message);

}  // namespace warptune::tuner
