#include <warptune/runtime/embedding.hpp>

#include <array>

#include "runtime/dispatch/typed_kernels.hpp"

namespace warptune::runtime {
namespace {

// In the order of the enumerators.
constexpr std::array elements{"float",         "__half",         "__nv_bfloat16", "double",
                              "unsigned char", "unsigned short", "unsigned int",  "unsigned long long"};
constexpr std::array policies{"any", "clamp", "zero", "check"};
constexpr std::array distributions{"any", "uniform", "zipf", "sorted", "equal"};
static_assert(ContextState::embedding_kinds == elements.size() * 2 * policies.size() * distributions.size());

}  // namespace

Match embedding_of(const Runtime& runtime, const void* ids, std::size_t id_bytes, const void* table,
                   void* output, RowElement element, const EmbeddingShape& shape,
                   const EmbeddingOptions& options, StreamHandle stream) {
  const auto type = static_cast<std::size_t>(element);
  const auto policy = static_cast<std::size_t>(options.policy);
  const auto distribution = static_cast<std::size_t>(options.distribution);
  const std::size_t wide = id_bytes == 8 ? 1 : 0;
  ContextState& context = TypedKernels::context(runtime);
  const std::size_t slot =
      ((type * 2 + wide) * policies.size() + policy) * distributions.size() + distribution;
  KernelState& kernel = TypedKernels::find(context.embedding_kernels.at(slot), [&]() -> KernelState& {
    KernelOptions kernel_options;
    kernel_options.attributes = {{"policy", policies[policy]}, {"distribution", distributions[distribution]}};
    return context.kernel("embedding", {{"T", elements[type]}, {"I", wide != 0 ? "long long" : "int"}},
                          kernel_options);
  });
  const std::array<std::int64_t, 5> dims{shape.v, shape.n, shape.h,
                                         shape.table_pitch == 0 ? shape.h : shape.table_pitch,
                                         shape.output_pitch == 0 ? shape.h : shape.output_pitch};
  const std::array<void*, 4> pointers{const_cast<void*>(ids), const_cast<void*>(table), output,
                                      options.first_bad};
  return kernel.launch(stream, dims, pointers);
}

}  // namespace warptune::runtime
