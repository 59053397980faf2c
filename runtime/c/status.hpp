// Turns exceptions into status codes, and keeps what they said for the calling thread. Thread-safe.
#pragma once

#include <exception>

#include <warptune/runtime/warptune.h>

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

// Error usage: the argument of that name is null.
void require_argument(const void* argument, const char* name);

}  // namespace warptune::runtime
