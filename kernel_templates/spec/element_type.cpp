#include <warptune/spec/element_type.hpp>

#include <array>

namespace warptune::spec {
namespace {

struct Synonym {
  std::string_view text;
  std::string_view name;
};

// Beyond the table's own aliases; CUDA names first because manifests use them.
constexpr std::array synonyms{
    Synonym{"fp32", "float"},
    Synonym{"float32", "float"},
    Synonym{"fp64", "double"},
    Synonym{"float64", "double"},
    Synonym{"half", "__half"},
    Synonym{"fp16", "__half"},
    Synonym{"float16", "__half"},
    Synonym{"bfloat16", "__nv_bfloat16"},
    Synonym{"nv_bfloat16", "__nv_bfloat16"},
    Synonym{"fp8_e4m3", "__nv_fp8_e4m3"},
    Synonym{"fp8_e5m2", "__nv_fp8_e5m2"},
    Synonym{"int8", "signed char"},
    Synonym{"int8_t", "signed char"},
    Synonym{"uint8", "unsigned char"},
    Synonym{"uint8_t", "unsigned char"},
    Synonym{"int16", "short"},
    Synonym{"int16_t", "short"},
    Synonym{"uint16", "unsigned short"},
    Synonym{"uint16_t", "unsigned short"},
    Synonym{"int32", "int"},
    Synonym{"int32_t", "int"},
    Synonym{"uint32", "unsigned int"},
    Synonym{"uint32_t", "unsigned int"},
    Synonym{"unsigned", "unsigned int"},
    Synonym{"int64", "long long"},
    Synonym{"int64_t", "long long"},
    Synonym{"uint64", "unsigned long long"},
    Synonym{"uint64_t", "unsigned long long"},
};

}  // namespace

const std::vector<ElementType>& element_types() {
  static const std::vector<ElementType> types{
      {"float", "f32", 4, true, ""},
      {"double", "f64", 8, true, ""},
      {"__half", "f16", 2, true, "cuda_fp16.h"},
      {"__nv_bfloat16", "bf16", 2, true, "cuda_bf16.h"},
      {"__nv_fp8_e4m3", "e4m3", 1, true, "cuda_fp8.h"},
      {"__nv_fp8_e5m2", "e5m2", 1, true, "cuda_fp8.h"},
      {"signed char", "i8", 1, false, ""},
      {"unsigned char", "u8", 1, false, ""},
      {"short", "i16", 2, false, ""},
      {"unsigned short", "u16", 2, false, ""},
      {"int", "i32", 4, false, ""},
      {"unsigned int", "u32", 4, false, ""},
      {"long long", "i64", 8, false, ""},
      {"unsigned long long", "u64", 8, false, ""},
  };
  return types;
}

std::optional<ElementType> find_element_type(std::string_view name_or_alias) {
  for (const Synonym& synonym : synonyms) {
    if (synonym.text == name_or_alias) name_or_alias = synonym.name;
  }
  for (const ElementType& type : element_types()) {
    if (type.name == name_or_alias || type.alias == name_or_alias) return type;
  }
  return std::nullopt;
}

std::int64_t element_bytes(Word name) {
  static const std::vector<Word> words = [] {
    std::vector<Word> result;
    for (const ElementType& type : element_types()) result.emplace_back(type.name);
    return result;
  }();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == name) return element_types()[i].size_bytes;
  }
  return 0;
}

}  // namespace warptune::spec
