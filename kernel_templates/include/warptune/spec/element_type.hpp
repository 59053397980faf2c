// Element types a template may use: CUDA spelling, short aliases for people, size. Immutable table,
// thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/spec/value.hpp>

namespace warptune::spec {

struct ElementType {
  std::string_view
      name;  // CUDA spelling: "float", "__half", "__nv_bfloat16", "double", "int", "long long", ...
  std::string_view alias;  // what people type and tables show: "f32", "f16", "bf16", "f64", "i32", "i64", ...
  std::int64_t size_bytes;
  bool is_floating;
  std::string_view header;  // CUDA header that declares it, empty for types of the language
};

const std::vector<ElementType>& element_types();

// By CUDA name or any alias ("half", "f16", "bf16", "bfloat16", "fp32", ...).
std::optional<ElementType> find_element_type(std::string_view name_or_alias);

// Size of the type whose CUDA name the word is; 0 when it is none. Allocates nothing.
std::int64_t element_bytes(Word name);

}  // namespace warptune::spec
