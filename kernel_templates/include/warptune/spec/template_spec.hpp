// A kernel template: what a manifest says, parsed. Plain data; shared immutable once built.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <warptune/spec/expression.hpp>
#include <warptune/spec/problem.hpp>
#include <warptune/spec/value.hpp>

namespace warptune::spec {

struct TypeParameter {
  std::string name;
  std::vector<std::string> allowed;  // CUDA type names
};

struct DimSpec {
  std::string name;
  bool key = false;          // key: only exact matches serve; free: the nearest tuned value may
  Expression default_value;  // over types, attributes and the dims without one; empty: must be given
};

struct AttributeSpec {
  std::string name;
  std::vector<std::string> allowed;  // always contains "any"
};

struct TunableValue {
  Value value;
  Numerics numerics;  // what the value weakens; exact by default
};

struct Tunable {
  std::string name;
  std::uint32_t symbol = 0;
  std::vector<TunableValue> values;  // ordered as written
};

// One value per tunable, in the order of TemplateSpec::tunables.
struct Config {
  std::vector<Value> values;
  friend bool operator==(const Config&, const Config&) = default;
};

struct ConfigHash {
  std::size_t operator()(const Config& config) const noexcept;
};

// A config with a name, to be compared with others; no part of the search.
struct VariantSpec {
  std::string name;
  std::string summary;
  Expression when;  // over types: where the variant exists; empty: everywhere
  Config config;
  Numerics numerics;  // what its values weaken
};

struct LetSpec {
  std::string name;
  std::uint32_t symbol = 0;
  Expression value;
};

struct ConstraintSpec {
  Expression expression;
  std::string why;
  // What it excludes would run, but is not worth trying: tuning leaves it out, everything else ignores this.
  bool search_only = false;
};

enum class BufferRole { in, out, inout, workspace, counter };

// Whether the caller passes it; workspaces and counters are the runtime's own.
constexpr bool is_operand(BufferRole role) {
  return role == BufferRole::in || role == BufferRole::out || role == BufferRole::inout;
}

struct BufferSpec {
  std::string name;
  std::string type;  // a CUDA type name or a type parameter
  Expression elements;
  BufferRole role = BufferRole::in;
  std::string fill;            // how tuning fills it: normal, whole, large, bits, index, zero, one
  Expression fill_bound;       // index: ids are drawn from [0, bound)
  std::string distribution;    // index: the attribute that says how they are drawn; empty: uniformly
  Expression alignment_bytes;  // empty: the element's own size
  Location where;
};

// CUDA type name of a buffer's elements, a type parameter resolved.
const std::string& element_type_name(const BufferSpec& buffer, const Problem& problem);

// A buffer or a scalar expression passed to a kernel.
struct ArgumentSpec {
  std::string buffer;  // name, empty for a scalar
  Expression value;    // scalar
  std::string type;    // scalar's C type: "int", "unsigned int", "long long", "unsigned long long"
};

// A piece of a name expression: plain text, then the value of a symbol.
struct EntryPart {
  std::string text;
  std::uint32_t symbol = no_symbol;
  static constexpr std::uint32_t no_symbol = static_cast<std::uint32_t>(-1);
};

struct StepSpec {
  std::string memset_buffer;  // set: a memset step
  int memset_byte = 0;
  std::string entry;  // name expression with {NAME} holes
  std::vector<EntryPart> entry_parts;
  std::vector<ArgumentSpec> arguments;
  std::vector<Expression> grid;   // 1 to 3
  std::vector<Expression> block;  // 1 to 3
  Expression shared_bytes;        // dynamic shared memory, empty: 0
  bool programmatic = false;      // may begin before what is ahead on the stream has ended: it waits itself
  Expression when;                // empty: always
  Location where;
};

struct CheckInput {
  std::string fill;      // replaces the fill of every floating-point operand
  double tolerance = 0;  // |out - reference| <= tolerance * scale; 0: equal
  bool outside = false;  // some elements of buffers filled by index lie outside [0, bound)
  Expression when;       // over types and tunables; empty: always
};

struct CheckSpec {
  std::string output;  // name of the out or inout buffer compared
  // With `bytes`: further ones; args may name "reference.NAME" of each.
  std::vector<std::string> also_outputs;
  // Outputs are compared byte by byte: "reference" is of the output's own type, all ones before; no "scale".
  bool bytes = false;
  StepSpec
      // args may name "reference" and "scale": arrays of double, output's element count, zeroed before
      reference;
  std::vector<CheckInput> inputs;
  std::vector<std::map<std::string, Expression>> also_dims;  // dims to verify beyond the tuned ones
};

// What the loader worked out about names and expressions; private to the library.
struct Analysis;

struct TemplateSpec {
  std::string name;
  std::string summary;
  std::filesystem::path manifest_path;  // "<built-in>/dot.toml" for shipped ones
  std::filesystem::path source_path;
  std::string manifest_text;
  std::string source;
  std::vector<std::string> options;                  // extra NVRTC options
  std::vector<std::filesystem::path> include_paths;  // the template's own
  std::map<std::string, std::string>
      headers;           // own includes found by the scanner: name as included -> content
  bool defines = false;  // tunables become macros instead of template arguments
  std::string hash;      // of source, own includes and the manifest parts that change code
  // The same in pieces, to say which one changed: "dot.cu", "helper.cuh", "manifest: step" -> hash.
  std::map<std::string, std::string> hash_parts;

  std::vector<TypeParameter> type_parameters;
  std::vector<DimSpec> dims;
  std::vector<AttributeSpec> attributes;
  std::vector<Tunable> tunables;
  Config default_config;
  std::vector<VariantSpec> variants;
  std::vector<LetSpec> lets;
  std::vector<ConstraintSpec> constraints;
  std::vector<BufferSpec> buffers;
  std::vector<StepSpec> steps;
  CheckSpec check;
  Expression cost_bytes;
  Expression cost_flops;
  Symbols symbols;
  std::shared_ptr<const Analysis> analysis;

  // Index of a buffer or tunable by name; Error not_found naming the nearest existing name.
  std::size_t buffer_index(std::string_view name) const;
  std::size_t tunable_index(std::string_view name) const;
};

// "NUM_THREADS=256 PACK=8 ...": the form people read.
std::string to_text(const TemplateSpec& spec, const Config& config);
// Values by tunable name: the form that is stored.
std::map<std::string, Value> to_named(const TemplateSpec& spec, const Config& config);
// Error bad_input: a tunable missing, unknown, or holding a value outside its list.
Config from_named(const TemplateSpec& spec, const std::map<std::string, Value>& named);

}  // namespace warptune::spec
