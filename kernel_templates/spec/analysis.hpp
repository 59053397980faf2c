// What is known of every name of a template: what it is, what kind of value it holds, and what it depends on.
// Made once by the loader; immutable afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/spec/template_spec.hpp>

namespace warptune::spec {

// What an expression depends on, lets resolved. Bits.
using Groups = std::uint32_t;
namespace group {
inline constexpr Groups type = 1, attribute = 2, dim = 4, tunable = 8, device = 16, kernel = 32;
inline constexpr Groups problem = type | attribute | dim | device;
inline constexpr Groups before_compile = problem | tunable;
inline constexpr Groups all = before_compile | kernel;
}  // namespace group

// Tunables as bits: bit i is TemplateSpec::tunables[i].
using TunableMask = std::uint64_t;
inline constexpr std::size_t max_tunables = 64;

struct Dependencies {
  Groups groups = 0;
  TunableMask tunables = 0;
  friend Dependencies operator|(Dependencies a, Dependencies b) {
    return {a.groups | b.groups, a.tunables | b.tunables};
  }
};

struct SymbolInfo {
  bool known = false;
  Value::Kind kind = Value::Kind::unset;
  Dependencies depends;
  std::vector<std::string> words;  // what a word may be; empty: anything
};

struct Analysis {
  std::vector<SymbolInfo> symbols;  // by symbol
  std::vector<std::uint32_t> type_symbols, dim_symbols, attribute_symbols;  // parallel to the spec's lists
  std::vector<std::uint32_t> device_symbols;                                // those that expressions mention

  Dependencies depends(const Expression& expression) const;  // of an empty expression: nothing
  Dependencies depends(const std::vector<EntryPart>& parts) const;
};

// kernel.NAME in expressions.
const std::vector<std::string>& kernel_trait_names();

// Fills TemplateSpec::analysis and the entries' parts, and checks all that needs more than one section of the manifest: names,
// kinds, buffers, steps, the default config. Error bad_input with the place.
void analyse(TemplateSpec& spec);

// Kind of the expression's value, operands checked. Error bad_input with the place where kinds or words do not fit.
Value::Kind infer_kind(const Expression& expression, const Analysis& analysis);

}  // namespace warptune::spec
