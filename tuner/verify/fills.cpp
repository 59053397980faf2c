#include "tuner/verify/fills.hpp"

#include <array>

#include <warptune/base/error.hpp>
#include <warptune/spec/element_type.hpp>

namespace warptune::tuner {
namespace {

using device::Element;
using device::Fill;

struct NamedFill {
  std::string_view name;
  Fill fill;
};

constexpr std::array fills = {NamedFill{"normal", Fill::normal}, NamedFill{"uniform", Fill::uniform},
                              NamedFill{"whole", Fill::whole},   NamedFill{"large", Fill::large},
                              NamedFill{"zero", Fill::zero},     NamedFill{"one", Fill::one},
                              NamedFill{"bits", Fill::bits},     NamedFill{"index", Fill::index}};

constexpr std::array distributions = {
    NamedFill{"any", Fill::index}, NamedFill{"uniform", Fill::index}, NamedFill{"zipf", Fill::index_zipf},
    NamedFill{"sorted", Fill::index_sorted}, NamedFill{"equal", Fill::index_equal}};

Fill index_fill(const spec::Instance& instance, const spec::BufferSpec& buffer) {
  if (buffer.distribution.empty()) return Fill::index;
  const std::string& word = instance.problem().attributes.at(buffer.distribution);
  for (const NamedFill& distribution : distributions)
    if (distribution.name == word) return distribution.fill;
  throw Error(ErrorKind::bad_input, "unknown distribution '" + word + "' of buffer " + buffer.name,
              "known: any, uniform, zipf, sorted, equal");
}

// A bound may depend on what the caller fixes, dims and types, and on nothing else.
std::uint64_t index_bound(const spec::Instance& instance, const spec::BufferSpec& buffer) {
  const spec::TemplateSpec& spec = instance.spec();
  spec::Scope scope(spec.symbols.size());
  for (const auto& [name, value] : instance.problem().dims)
    if (const std::uint32_t* symbol = spec.symbols.find(name))
      scope.set(*symbol, spec::Value::integer(value));
  for (const auto& [name, type] : instance.problem().types)
    if (const std::uint32_t* symbol = spec.symbols.find(name)) scope.set(*symbol, spec::Value::word(type));
  const std::int64_t bound = buffer.fill_bound ? buffer.fill_bound.evaluate_integer(scope) : 0;
  if (bound < 0)
    throw Error(ErrorKind::bad_input, "the bound of buffer " + buffer.name + " is " + std::to_string(bound),
                "give a bound of at least 0");
  return static_cast<std::uint64_t>(bound);
}

}  // namespace

device::Element element_code(std::string_view cuda_type) {
  const std::optional<spec::ElementType> type = spec::find_element_type(cuda_type);
  if (type && type->is_floating) {
    if (type->name == "__half") return Element::f16;
    if (type->name == "__nv_bfloat16") return Element::bf16;
    if (type->name == "float") return Element::f32;
    if (type->name == "double") return Element::f64;
  } else if (type) {
    const bool is_unsigned = type->name.starts_with("u");
    switch (type->size_bytes) {
      case 1:
        return is_unsigned ? Element::u8 : Element::i8;
      case 2:
        return is_unsigned ? Element::u16 : Element::i16;
      case 4:
        return is_unsigned ? Element::u32 : Element::i32;
      case 8:
        return is_unsigned ? Element::u64 : Element::i64;
      default:
        break;
    }
  }
  throw Error(ErrorKind::unsupported, "verification cannot read elements of type " + std::string(cuda_type),
              "use float, double, __half, __nv_bfloat16 or an integer type");
}

device::Element bits_code(std::string_view cuda_type) {
  const std::optional<spec::ElementType> type = spec::find_element_type(cuda_type);
  switch (type ? type->size_bytes : 0) {
    case 1:
      return Element::u8;
    case 2:
      return Element::u16;
    case 4:
      return Element::u32;
    case 8:
      return Element::u64;
    default:
      throw Error(ErrorKind::unsupported, "unknown element type " + std::string(cuda_type));
  }
}

device::Fill parse_fill(std::string_view name) {
  std::string known;
  for (const NamedFill& fill : fills) {
    if (fill.name == name) return fill.fill;
    known += (known.empty() ? "" : ", ") + std::string(fill.name);
  }
  throw Error(ErrorKind::bad_input, "unknown fill '" + std::string(name) + "'", "use one of " + known);
}

BufferFill buffer_fill(const spec::Instance& instance, std::size_t buffer, const FillChange& change,
                       std::uint64_t seed) {
  const spec::BufferSpec& spec = instance.spec().buffers.at(buffer);
  const std::string& type = spec::element_type_name(spec, instance.problem());
  const std::optional<spec::ElementType> element = spec::find_element_type(type);
  const bool floating = element && element->is_floating;
  BufferFill result;
  if (floating && change.floating) {
    result.fill = parse_fill(*change.floating);
  } else if (spec.fill.empty()) {
    result.fill = floating ? Fill::normal : Fill::zero;
  } else {
    result.fill = parse_fill(spec.fill);
  }
  result.element = result.fill == Fill::bits ? bits_code(type) : element_code(type);
  if (result.fill == Fill::index) {
    result.fill = index_fill(instance, spec);
    result.bound = index_bound(instance, spec);
    result.outside = change.outside;
  }
  // Golden-ratio steps keep the sequences of neighbouring buffers and seeds apart.
  result.seed = (seed * 64 + buffer + 1) * 0xd1342543de82ef95ull;
  return result;
}

}  // namespace warptune::tuner
