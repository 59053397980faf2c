#include "runtime/c/status.hpp"

#include <iterator>
#include <new>
#include <optional>
#include <string>

#include <warptune/base/error.hpp>

namespace warptune::runtime {
namespace {

struct LastError {
  std::string message, hint;
  std::optional<long> native_code;
};
thread_local LastError last_error;

// ErrorKind's values are stable and in this order.
static_assert(static_cast<int>(ErrorKind::usage) + 1 == WARPTUNE_ERROR_USAGE &&
              static_cast<int>(ErrorKind::cuda) + 1 == WARPTUNE_ERROR_CUDA &&
              static_cast<int>(ErrorKind::internal) + 1 == WARPTUNE_ERROR_INTERNAL);

}  // namespace

warptune_status keep_error(const std::exception_ptr& error) noexcept {
  try {
    try {
      std::rethrow_exception(error);
    } catch (const Error& known) {
      last_error = {known.what(), known.hint(), known.native_code()};
      return static_cast<warptune_status>(static_cast<int>(known.kind()) + 1);
    } catch (const std::bad_alloc&) {
      last_error = {"out of host memory", {}, {}};
      return WARPTUNE_ERROR_OUT_OF_MEMORY;
    } catch (const std::exception& other) {
      last_error = {other.what(), {}, {}};
      return WARPTUNE_ERROR_INTERNAL;
    }
  } catch (...) {  // not even the texts could be kept
    return WARPTUNE_ERROR_OUT_OF_MEMORY;
  }
}

void require_argument(const void* argument, const char* name) {
  if (argument == nullptr) throw Error(ErrorKind::usage, std::string(name) + " is null");
}

}  // namespace warptune::runtime

using warptune::runtime::last_error;

extern "C" const char* warptune_last_error(void) { return last_error.message.c_str(); }
extern "C" const char* warptune_last_hint(void) { return last_error.hint.c_str(); }
extern "C" int warptune_last_native_code(long* code) {
  if (!last_error.native_code) return 0;
  if (code != nullptr) *code = *last_error.native_code;
  return 1;
}

extern "C" const char* warptune_status_name(int status) {
  if (status == WARPTUNE_OK) return "ok";
  if (status < WARPTUNE_OK || status > WARPTUNE_ERROR_INTERNAL) return "unknown";
  return warptune::to_string(static_cast<warptune::ErrorKind>(status - 1));
}
