// Sections that say what runs: buffer, step, check, cost.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <warptune/base/text.hpp>
#include <warptune/spec/element_type.hpp>

#include "kernel_templates/spec/manifest.hpp"
#include "kernel_templates/spec/manifest_reader.hpp"

namespace warptune::spec {
namespace {

BufferRole parse_role(const std::string& word) {
  if (word == "in") return BufferRole::in;
  if (word == "out") return BufferRole::out;
  if (word == "inout") return BufferRole::inout;
  return word == "workspace" ? BufferRole::workspace : BufferRole::counter;
}

// Words of an attribute that says how ids are drawn; any: uniformly.
constexpr std::array<std::string_view, 5> index_distributions{"any", "uniform", "zipf", "sorted", "equal"};

bool is_read(BufferRole role) { return role == BufferRole::in || role == BufferRole::inout; }

// CUDA names a buffer of this type may have: one, or all that the type parameter allows.
std::vector<std::string> possible_types(const TemplateSpec& spec, const std::string& type,
                                        const Location& where) {
  std::vector<std::string> known;
  for (const TypeParameter& parameter : spec.type_parameters) {
    if (parameter.name == type) return parameter.allowed;
    known.push_back(parameter.name);
  }
  if (const auto element = find_element_type(type)) return {std::string(element->name)};
  for (const ElementType& element : element_types()) known.emplace_back(element.name);
  manifest_fail(where, fmt::format("unknown element type '{}'", type), name_hint(type, known));
}

void check_fill(const BufferSpec& buffer, const std::vector<std::string>& types, const Location& where) {
  const bool floating_only = buffer.fill == "normal" || buffer.fill == "large";
  for (const std::string& type : types) {
    const bool floating = find_element_type(type)->is_floating;
    if (floating_only && !floating) {
      manifest_fail(where, fmt::format("fill '{}' does not suit integers ({})", buffer.fill, type),
                    "use whole, index, zero or one");
    }
    if (buffer.fill == "index" && floating) {
      manifest_fail(where, fmt::format("fill 'index' does not suit {}", type),
                    "use normal, whole, large, zero or one");
    }
  }
}

// An attribute whose words say how ids are drawn.
std::string read_distribution(const ManifestNode& node, const BufferSpec& buffer, const TemplateSpec& spec) {
  constexpr std::string_view what = "[[buffer]] distribution";
  if (buffer.fill != "index")
    manifest_fail(node.where, fmt::format("{} belongs to fill = \"index\"", what), "remove it");
  std::vector<std::string> known;
  for (const AttributeSpec& attribute : spec.attributes) {
    known.push_back(attribute.name);
    if (attribute.name != node.text) continue;
    for (const std::string& word : attribute.allowed) {
      if (std::find(index_distributions.begin(), index_distributions.end(), word) !=
          index_distributions.end())
        continue;
      manifest_fail(node.where,
                    fmt::format("attribute '{}' allows '{}', which is no distribution", node.text, word),
                    "known: any, uniform, zipf, sorted, equal");
    }
    return attribute.name;
  }
  manifest_fail(node.where,
                fmt::format("{} names '{}', which is no attribute", what, require_string(node, what)),
                name_hint(node.text, known));
}

BufferSpec read_buffer(const ManifestNode& item, TemplateSpec& spec) {
  constexpr std::string_view section = "[[buffer]]";
  require_table(item, section,
                {"name", "type", "elements", "role", "fill", "bound", "distribution", "alignment"});
  BufferSpec buffer;
  buffer.where = item.where;
  const ManifestNode& name = require_member(item, "name", section);
  buffer.name = require_identifier(name, "[[buffer]] name");
  if (buffer.name == "reference" || buffer.name == "scale") {
    manifest_fail(name.where, fmt::format("buffer name '{}' is taken by [check]", buffer.name),
                  "choose another name");
  }
  const auto same = [&](const BufferSpec& other) { return other.name == buffer.name; };
  if (std::any_of(spec.buffers.begin(), spec.buffers.end(), same)) {
    manifest_fail(name.where, fmt::format("buffer '{}' is defined twice", buffer.name),
                  "choose another name");
  }
  const ManifestNode& type = require_member(item, "type", section);
  const auto types = possible_types(spec, require_string(type, "[[buffer]] type"), type.where);
  const bool is_parameter =
      std::any_of(spec.type_parameters.begin(), spec.type_parameters.end(),
                  [&](const TypeParameter& parameter) { return parameter.name == type.text; });
  buffer.type = is_parameter ? type.text : types.front();
  buffer.elements =
      require_expression(require_member(item, "elements", section), "[[buffer]] elements", spec.symbols);
  buffer.role = parse_role(require_word(require_member(item, "role", section), "[[buffer]] role",
                                        {"in", "out", "inout", "workspace", "counter"}));
  const ManifestNode* fill = item.find("fill");
  if (fill != nullptr) {
    buffer.fill =
        require_word(*fill, "[[buffer]] fill", {"normal", "whole", "large", "bits", "index", "zero", "one"});
    if (!is_read(buffer.role)) {
      manifest_fail(fill->where, fmt::format("buffer '{}' is not read, so it has no fill", buffer.name),
                    "remove fill, or make the role in or inout");
    }
  } else if (is_read(buffer.role)) {
    buffer.fill = "normal";
  }
  if (!buffer.fill.empty()) check_fill(buffer, types, fill != nullptr ? fill->where : type.where);
  const ManifestNode* bound = item.find("bound");
  if ((buffer.fill == "index") != (bound != nullptr)) {
    manifest_fail(bound != nullptr ? bound->where : fill->where, "fill = \"index\" and bound go together",
                  "indices are drawn from 0 to bound - 1");
  }
  if (bound != nullptr) buffer.fill_bound = require_expression(*bound, "[[buffer]] bound", spec.symbols);
  if (const auto* distribution = item.find("distribution"))
    buffer.distribution = read_distribution(*distribution, buffer, spec);
  if (const auto* alignment = item.find("alignment")) {
    buffer.alignment_bytes = require_expression(*alignment, "[[buffer]] alignment", spec.symbols);
  }
  return buffer;
}

std::vector<Expression> read_geometry(const ManifestNode& node, const std::string& what, Symbols& symbols) {
  std::vector<Expression> sizes;
  for (const ManifestNode& item : require_array(node, what))
    sizes.push_back(require_expression(item, what, symbols));
  if (sizes.empty() || sizes.size() > 3) {
    manifest_fail(node.where, fmt::format("{} has {} entries, 1 to 3 are allowed", what, sizes.size()),
                  "x, y, z");
  }
  return sizes;
}

// `extra`: names that [check] allows beside the buffers.
std::vector<ArgumentSpec> read_arguments(const ManifestNode& node, TemplateSpec& spec,
                                         const std::vector<std::string>& extra) {
  std::vector<std::string> known = extra;
  for (const BufferSpec& buffer : spec.buffers) known.push_back(buffer.name);
  std::vector<ArgumentSpec> arguments;
  for (const ManifestNode& item : require_array(node, "args")) {
    ArgumentSpec argument;
    if (item.kind == ManifestNode::Kind::table) {
      require_table(item, "a scalar argument", {"value", "type"});
      argument.value =
          require_expression(require_member(item, "value", "a scalar argument"), "value", spec.symbols);
      argument.type =
          require_word(require_member(item, "type", "a scalar argument"), "a scalar argument's type",
                       {"int", "unsigned int", "long long", "unsigned long long"});
    } else {
      argument.buffer = require_string(item, "an argument");
      if (std::find(known.begin(), known.end(), argument.buffer) == known.end()) {
        manifest_fail(
            item.where, fmt::format("argument '{}' is no buffer", argument.buffer),
            name_hint(argument.buffer, known) + "; scalars are { value = \"...\", type = \"long long\" }");
      }
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

// Splits "dot<{T}, {PACK}>" at its holes; names are resolved by analyse().
std::vector<EntryPart> split_entry(const ManifestNode& node, Symbols& symbols) {
  std::vector<EntryPart> parts;
  const std::string& text = node.text;
  auto place = [&](std::size_t offset) {
    Location where = node.content;
    where.column += static_cast<int>(offset);
    return where;
  };
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t open = text.find_first_of("{}", start);
    EntryPart part;
    part.text = text.substr(start, open - start);
    if (open == std::string::npos) {
      parts.push_back(std::move(part));
      break;
    }
    const std::size_t close = text.find('}', open);
    if (text[open] == '}' || close == std::string::npos) {
      manifest_fail(place(open), fmt::format("unmatched '{}' in the entry", text[open]),
                    "holes are written {NAME}");
    }
    const std::string name = text.substr(open + 1, close - open - 1);
    check_identifier(name, place(open + 1), "hole");
    part.symbol = symbols.intern(name);
    parts.push_back(std::move(part));
    start = close + 1;
  }
  return parts;
}

void read_entry(const ManifestNode& node, std::string_view what, TemplateSpec& spec, StepSpec& step) {
  step.entry = require_string(node, what);
  if (trim(step.entry).empty())
    manifest_fail(node.where, fmt::format("{} is empty", what), "name the kernel");
  step.entry_parts = split_entry(node, spec.symbols);
  step.where = node.content;
}

StepSpec read_memset(const ManifestNode& item, TemplateSpec& spec) {
  require_table(item, "a memset [[step]]", {"memset", "byte", "when"});
  StepSpec step;
  const ManifestNode& target = *item.find("memset");
  step.where = target.where;
  step.memset_buffer = require_string(target, "[[step]] memset");
  std::vector<std::string> known;
  for (const BufferSpec& buffer : spec.buffers) {
    if (buffer.role != BufferRole::in) known.push_back(buffer.name);
  }
  if (std::find(known.begin(), known.end(), step.memset_buffer) == known.end()) {
    manifest_fail(target.where,
                  fmt::format("memset of '{}', which is no buffer that may be written", step.memset_buffer),
                  name_hint(step.memset_buffer, known));
  }
  const ManifestNode& byte = require_member(item, "byte", "a memset [[step]]");
  const std::int64_t value = require_integer(byte, "[[step]] byte");
  if (value < 0 || value > 255) manifest_fail(byte.where, fmt::format("byte = {} is not in 0 to 255", value));
  step.memset_byte = static_cast<int>(value);
  return step;
}

StepSpec read_kernel_step(const ManifestNode& item, TemplateSpec& spec) {
  constexpr std::string_view section = "[[step]]";
  require_table(item, section,
                {"entry", "args", "grid", "block", "shared", "programmatic", "when", "memset"});
  StepSpec step;
  read_entry(require_member(item, "entry", section), "[[step]] entry", spec, step);
  step.arguments = read_arguments(require_member(item, "args", section), spec, {});
  step.grid = read_geometry(require_member(item, "grid", section), "[[step]] grid", spec.symbols);
  step.block = read_geometry(require_member(item, "block", section), "[[step]] block", spec.symbols);
  if (const auto* shared = item.find("shared")) {
    step.shared_bytes = require_expression(*shared, "[[step]] shared", spec.symbols);
  }
  if (const auto* programmatic = item.find("programmatic")) {
    step.programmatic = require_boolean(*programmatic, "[[step]] programmatic");
    const bool behind_memset = !spec.steps.empty() && !spec.steps.back().memset_buffer.empty();
    if (step.programmatic && behind_memset && !spec.steps.back().when) {
      manifest_fail(programmatic->where, "a memset stands ahead of this programmatic [[step]]",
                    "remove it: only behind a kernel can a step begin early");
    }
  }
  return step;
}

// One buffer, or with compare = "bytes" a list of them.
void read_outputs(const ManifestNode& node, TemplateSpec& spec) {
  std::vector<std::string> known;
  for (const BufferSpec& buffer : spec.buffers) {
    if (buffer.role == BufferRole::out || buffer.role == BufferRole::inout) known.push_back(buffer.name);
  }
  const auto read = [&](const ManifestNode& item) {
    const std::string& name = require_string(item, "[check] output");
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      manifest_fail(item.where, fmt::format("[check] output '{}' is no out or inout buffer", name),
                    name_hint(name, known));
    }
    return name;
  };
  if (!spec.check.bytes || node.kind == ManifestNode::Kind::string) {
    spec.check.output = read(node);
    return;
  }
  for (const ManifestNode& item : require_array(node, "[check] output"))
    spec.check.also_outputs.push_back(read(item));
  if (spec.check.also_outputs.empty()) manifest_fail(node.where, "[check] output is empty", "name a buffer");
  spec.check.output = spec.check.also_outputs.front();
  spec.check.also_outputs.erase(spec.check.also_outputs.begin());
}

// Names that [check] args may use beside the buffers.
std::vector<std::string> reference_names(const CheckSpec& check) {
  if (!check.bytes) return {"reference", "scale"};
  std::vector<std::string> names{"reference"};
  for (const std::string& output : check.also_outputs) names.push_back("reference." + output);
  return names;
}

double read_tolerance(const ManifestNode& node) {
  const double tolerance = require_number(node, "[[check.input]] tolerance");
  if (!(tolerance >= 0) || !(tolerance < 1)) {
    manifest_fail(node.where, fmt::format("tolerance {} is not in 0 to 1", tolerance),
                  "it is relative to the scale that the reference kernel writes");
  }
  return tolerance;
}

void read_check_input(const ManifestNode& item, TemplateSpec& spec) {
  constexpr std::string_view section = "[[check.input]]";
  require_table(item, section, {"fill", "tolerance", "index", "when"});
  CheckInput input;
  input.fill = require_word(require_member(item, "fill", section), "[[check.input]] fill",
                            {"normal", "whole", "large", "bits", "zero", "one"});
  if (spec.check.bytes) {
    if (const auto* tolerance = item.find("tolerance"))
      manifest_fail(tolerance->where, "bytes are compared without tolerance", "remove it");
  } else {
    input.tolerance = read_tolerance(require_member(item, "tolerance", section));
  }
  if (const auto* index = item.find("index")) {
    require_word(*index, "[[check.input]] index", {"outside"});
    input.outside = true;
  }
  if (const auto* when = item.find("when")) {
    input.when = require_expression(*when, "[[check.input]] when", spec.symbols);
  }
  spec.check.inputs.push_back(std::move(input));
}

void read_check_dims(const ManifestNode& item, TemplateSpec& spec) {
  if (item.kind != ManifestNode::Kind::table) require_table(item, "[[check.dims]]", {});
  std::vector<std::string> known;
  for (const DimSpec& dim : spec.dims) known.push_back(dim.name);
  std::map<std::string, Expression> dims;
  for (const ManifestMember& member : item.members) {
    if (std::find(known.begin(), known.end(), member.key) == known.end()) {
      manifest_fail(member.where, fmt::format("[[check.dims]] names '{}', which is no dim", member.key),
                    name_hint(member.key, known));
    }
    dims.emplace(member.key, require_expression(member.value, "[[check.dims]]", spec.symbols));
  }
  spec.check.also_dims.push_back(std::move(dims));
}

}  // namespace

void read_buffers(const ManifestNode& root, TemplateSpec& spec) {
  const ManifestNode& array = require_member(root, "buffer", "the manifest");
  for (const ManifestNode& item : require_array(array, "[[buffer]]"))
    spec.buffers.push_back(read_buffer(item, spec));
}

void read_steps(const ManifestNode& root, TemplateSpec& spec) {
  const ManifestNode& array = require_member(root, "step", "the manifest");
  bool has_kernel = false;
  for (const ManifestNode& item : require_array(array, "[[step]]")) {
    const bool is_memset = item.kind == ManifestNode::Kind::table && item.find("memset") != nullptr;
    StepSpec step = is_memset ? read_memset(item, spec) : read_kernel_step(item, spec);
    if (const auto* when = item.find("when"))
      step.when = require_expression(*when, "[[step]] when", spec.symbols);
    has_kernel = has_kernel || !is_memset;
    spec.steps.push_back(std::move(step));
  }
  if (!has_kernel) manifest_fail(array.where, "no [[step]] launches a kernel", "add a step with an entry");
}

void read_check(const ManifestNode& root, TemplateSpec& spec) {
  constexpr std::string_view section = "[check]";
  const ManifestNode& table = require_member(root, "check", "the manifest");
  require_table(table, section,
                {"compare", "output", "reference", "args", "grid", "block", "shared", "input", "dims"});
  if (const auto* compare = table.find("compare"))
    spec.check.bytes = require_word(*compare, "[check] compare", {"values", "bytes"}) == "bytes";
  read_outputs(require_member(table, "output", section), spec);
  StepSpec& reference = spec.check.reference;
  read_entry(require_member(table, "reference", section), "[check] reference", spec, reference);
  reference.arguments =
      read_arguments(require_member(table, "args", section), spec, reference_names(spec.check));
  reference.grid = read_geometry(require_member(table, "grid", section), "[check] grid", spec.symbols);
  reference.block = read_geometry(require_member(table, "block", section), "[check] block", spec.symbols);
  if (const auto* shared = table.find("shared")) {
    reference.shared_bytes = require_expression(*shared, "[check] shared", spec.symbols);
  }
  for (const ManifestNode& item : require_array(require_member(table, "input", section), "[[check.input]]")) {
    read_check_input(item, spec);
  }
  if (spec.check.inputs.empty()) manifest_fail(table.where, "[check] has no input", "add a [[check.input]]");
  if (const auto* dims = table.find("dims")) {
    for (const ManifestNode& item : require_array(*dims, "[[check.dims]]")) read_check_dims(item, spec);
  }
}

void read_cost(const ManifestNode& root, TemplateSpec& spec) {
  const ManifestNode* table = root.find("cost");
  if (table == nullptr) return;
  require_table(*table, "[cost]", {"bytes", "flops"});
  if (const auto* bytes = table->find("bytes")) {
    spec.cost_bytes = require_expression(*bytes, "[cost] bytes", spec.symbols);
  }
  if (const auto* flops = table->find("flops")) {
    spec.cost_flops = require_expression(*flops, "[cost] flops", spec.symbols);
  }
}

}  // namespace warptune::spec
