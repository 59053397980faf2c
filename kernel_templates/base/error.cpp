#include <warptune/base/error.hpp>

#include <utility>

namespace warptune {

const char* to_string(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::bad_input:
      return "bad_input";
    case ErrorKind::not_found:
      return "not_found";
    case ErrorKind::io:
      return "io";
    case ErrorKind::database:
      return "database";
    case ErrorKind::cuda:
      return "cuda";
    case ErrorKind::nvrtc:
      return "nvrtc";
    case ErrorKind::compile:
      return "compile";
    case ErrorKind::no_device:
      return "no_device";
    case ErrorKind::out_of_memory:
      return "out_of_memory";
    case ErrorKind::capture:
      return "capture";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::internal:
      return "internal";
  }
  return "internal";
}

Error::Error(ErrorKind kind, const std::string& message, std::string hint, std::optional<long> native_code)
    : std::runtime_error(message), kind_(kind), hint_(std::move(hint)), native_code_(native_code) {}

std::string Error::full_text() const {
  std::string text = what();
  if (!hint_.empty()) text += "; " + hint_;
  return text;
}

}  // namespace warptune
