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

// One thing that can exclude a config before anything is compiled.
struct Check {
  enum class Kind { numerics, constraint, block, shared, grid } kind = Kind::constraint;
  std::size_t index = 0;  // of the tunable, the constraint or the step
  TunableMask needs = 0;  // tunables that must be bound before it can be evaluated
  bool search_only = false;
};

// What becomes possible once the tunable of one level is bound.
struct Level {
  std::size_t tunable = 0;
  std::vector<std::size_t> lets;    // indices into TemplateSpec::lets, in order
  std::vector<std::size_t> checks;  // indices into Analysis::checks, in order
};

struct Analysis {
  std::vector<SymbolInfo> symbols;                                          // by symbol
  std::vector<std::uint32_t> type_symbols, dim_symbols, attribute_symbols;  // parallel to the spec's lists
  std::vector<std::uint32_t> device_symbols;                                // those that expressions mention

  std::vector<Check> checks;  // all that do not need the compiled kernel
  std::vector<Level> levels;  // over all tunables; the first level also holds the checks that need none

  Dependencies depends(const Expression& expression) const;  // of an empty expression: nothing
  Dependencies depends(const std::vector<EntryPart>& parts) const;
};

// kernel.NAME in expressions.
const std::vector<std::string>& kernel_trait_names();

// Fills TemplateSpec::analysis and the entries' parts, and checks all that needs more than one section of the
// manifest: names, kinds, buffers, steps, the default config. Error bad_input with the place.
void analyse(TemplateSpec& spec);

// Everything that can exclude a config: numerics classes, then constraints, then launch limits.
std::vector<Check> make_checks(const TemplateSpec& spec, const Analysis& analysis);
// Levels over the tunables in `subset`, in manifest order; lets and checks that need others are left out.
std::vector<Level> make_levels(const TemplateSpec& spec, const Analysis& analysis, TunableMask subset);

// Kind of the expression's value, operands checked. Error bad_input with the place where kinds or words do
// not fit.
Value::Kind infer_kind(const Expression& expression, const Analysis& analysis);

}  // namespace warptune::spec
