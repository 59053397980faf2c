// The one-line calls of warptune.h for the shipped kernels.
#include <string>

#include <warptune/base/error.hpp>
#include <warptune/runtime/embedding.hpp>

#include "runtime/c/handles.hpp"
#include "runtime/c/status.hpp"

namespace {

namespace wt = warptune::runtime;
using warptune::Error;
using warptune::ErrorKind;

wt::RowElement unsigned_of(std::size_t bytes) {
  switch (bytes) {
    case 1:
      return wt::RowElement::u8;
    case 2:
      return wt::RowElement::u16;
    case 4:
      return wt::RowElement::u32;
    case 8:
      return wt::RowElement::u64;
    default:
      throw Error(ErrorKind::usage, "element_bytes is " + std::to_string(bytes), "1, 2, 4 or 8");
  }
}

// `number` as an enumerator, of which `last` is the last.
template <typename Enum>
Enum checked(int number, Enum last, const char* what) {
  if (number < 0 || number > static_cast<int>(last))
    throw Error(ErrorKind::usage, std::string("no ") + what + " has the number " + std::to_string(number),
                "0 to " + std::to_string(static_cast<int>(last)));
  return static_cast<Enum>(number);
}

}  // namespace

extern "C" warptune_status warptune_dot(warptune_runtime* runtime, int element, const void* a, const void* b,
                                        float* y, int64_t n, void* stream, warptune_match* match) {
  return wt::guarded([&] {
    wt::require_argument(runtime, "runtime");
    const auto run = [&]<typename T>(const T* left, const void* right) {
      wt::set_match(
          match, wt::dot(runtime->runtime, left, static_cast<const T*>(right), y, n, wt::stream_of(stream)));
    };
    switch (checked(element, WARPTUNE_BF16, "element type")) {
      case WARPTUNE_F32:
        return run(static_cast<const float*>(a), b);
      case WARPTUNE_F16:
        return run(static_cast<const __half*>(a), b);
      case WARPTUNE_BF16:
        return run(static_cast<const __nv_bfloat16*>(a), b);
    }
  });
}

extern "C" warptune_status warptune_embedding(warptune_runtime* runtime, const warptune_embedding_call* call,
                                              void* stream, warptune_match* match) {
  return wt::guarded([&] {
    wt::require_argument(runtime, "runtime");
    wt::require_argument(call, "call");
    if (call->id_bytes != 4 && call->id_bytes != 8)
      throw Error(ErrorKind::usage, "id_bytes is " + std::to_string(call->id_bytes), "4 or 8");
    const wt::EmbeddingShape shape{call->v, call->n, call->h, call->table_pitch, call->output_pitch};
    const wt::EmbeddingOptions options{checked(call->policy, wt::IdPolicy::check, "policy"),
                                       checked(call->distribution, wt::IdDistribution::equal, "distribution"),
                                       call->first_bad};
    wt::set_match(match,
                  wt::embedding_of(runtime->runtime, call->ids, call->id_bytes, call->table, call->output,
                                   unsigned_of(call->element_bytes), shape, options, wt::stream_of(stream)));
  });
}
