// The one exception type of warptune. A candidate's failure is data (an outcome), never an Error.
// Immutable after construction; safe to copy between threads.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

namespace warptune {

// What went wrong, for programs that react to it. The values are stable: new kinds are added at the end.
enum class ErrorKind {
  usage,          // the API or the command line was used wrongly
  bad_input,      // a manifest, problem, recording or value cannot be accepted
  not_found,      // a kernel, file, device or record does not exist
  io,             // reading or writing a file failed; native code = errno
  database,       // SQLite refused; native code = extended result code
  cuda,           // the CUDA driver refused; native code = CUresult
  nvrtc,          // NVRTC refused; native code = nvrtcResult
  compile,        // a source does not compile
  no_device,      // no usable GPU, driver or NVRTC on this machine
  out_of_memory,  // host or device memory is exhausted; native code where there is one
  capture,        // the call is not allowed while a stream is being captured
  unsupported,    // the device, driver or file version cannot do what was asked
  internal,       // a fault of warptune itself
};

// Lower-case name of a kind, e.g. "bad_input".
const char* to_string(ErrorKind kind) noexcept;

class Error : public std::runtime_error {
 public:
  // `message`: one line, without a final full stop, naming the value at fault.
  // `hint`: what to do about it, one line, may be empty. `native_code`: the code of the layer below.
  Error(ErrorKind kind, const std::string& message, std::string hint = {},
        std::optional<long> native_code = std::nullopt);

  ErrorKind kind() const noexcept { return kind_; }
  const std::string& hint() const noexcept { return hint_; }
  std::optional<long> native_code() const noexcept { return native_code_; }

  // "message; hint", what the command line prints.
  std::string full_text() const;

 private:
  ErrorKind kind_;
  std::string hint_;
  std::optional<long> native_code_;
};

}  // namespace warptune
