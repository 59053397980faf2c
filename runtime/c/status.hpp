// Turns exceptions into status codes, and keeps what they said for the calling thread. Thread-safe.
#pragma once

#include <cstdint>
#include <exception>

#include <warptune/runtime/warptune.h>
#include <warptune/runtime/device.hpp>
#include <warptune/runtime/selection.hpp>

namespace warptune::runtime {

// Keeps the exception's message, hint and native code for this thread and gives its status. Never throws.
warptune_status keep_error(const std::exception_ptr& error) noexcept;

// Runs `body`, which throws where it fails.
template <typename Body>
warptune_status guarded(const Body& body) noexcept {
  try {
    body();
    return WARPTUNE_OK;
  } catch (...) {
    return keep_error(std::current_exception());
  }
}

// As the C++ interface has it, and back.
inline StreamHandle stream_of(void* stream) { return StreamHandle{reinterpret_cast<std::uintptr_t>(stream)}; }
static_assert(static_cast<int>(Match::tuned) == WARPTUNE_TUNED &&
              static_cast<int>(Match::nearest) == WARPTUNE_NEAREST &&
              static_cast<int>(Match::default_config) == WARPTUNE_DEFAULT);
inline void set_match(warptune_match* match, Match value) {
  if (match != nullptr) *match = static_cast<warptune_match>(value);
}

// Error usage: the argument of that name is null.
void require_argument(const void* argument, const char* name);

}  // namespace warptune::runtime
